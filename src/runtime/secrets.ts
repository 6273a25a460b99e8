import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './processes/private-file';

export interface Account {
  email: string;
  password: string;
}

/** Secrets that the local stack generates on its first start and reuses later. */
export interface StackSecrets {
  postgres: { superuser: string; owner: string; app: string };
  session_secret: string;
  /** In the format of the setting MASTER_KEYS. */
  master_keys: string;
  accounts: Record<DemoAccount, Account>;
}

/** `studio` is a second developer, `team` a second buyer. */
const DEMO_ACCOUNTS = ['buyer', 'developer', 'operator', 'studio', 'team'] as const;
export type DemoAccount = (typeof DEMO_ACCOUNTS)[number];

/** Reads `secrets.json` of the home. Generates the file, readable by this user only, if it does not exist. */
export function loadSecrets(home: string): StackSecrets {
  const path = join(home, 'secrets.json');
  const secret = (bytes = 18) => randomBytes(bytes).toString('base64url');
  const account = (name: string) => ({ email: `${name}@marketplace.example`, password: secret(12) });
  if (existsSync(path)) {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as StackSecrets;
    const missing = DEMO_ACCOUNTS.filter((name) => !(name in kept.accounts));
    if (missing.length === 0) return kept;
    for (const name of missing) kept.accounts[name] = account(name);
    writePrivate(path, kept);
    return kept;
  }
  const secrets: StackSecrets = {
    postgres: { superuser: secret(), owner: secret(), app: secret() },
    session_secret: secret(32),
    master_keys: `local:1=${randomBytes(32).toString('base64')}`,
    accounts: Object.fromEntries(
      DEMO_ACCOUNTS.map((name) => [name, account(name)]),
    ) as StackSecrets['accounts'],
  };
  writePrivate(path, secrets);
  return secrets;
}
