import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSecretFiles } from '../config-secrets';
import { type MasterKey, parseMasterKeys } from '../kit/crypto/cipher';

/** The master keys that encrypt stored values: MASTER_KEYS (or MASTER_KEYS_FILE), else those of the local stack. */
export function masterKeys(env: NodeJS.ProcessEnv = process.env): MasterKey[] {
  const { MASTER_KEYS: keys } = withSecretFiles(env);
  if (keys) return parseMasterKeys(keys);
  const file = join(env['MARKET_HOME'] ?? '.market', 'secrets.json');
  try {
    return parseMasterKeys((JSON.parse(readFileSync(file, 'utf8')) as { master_keys: string }).master_keys);
  } catch (error) {
    throw new Error(`no master keys: set MASTER_KEYS, or start the stack (${file} cannot be read)`, {
      cause: error,
    });
  }
}

/** MASTER_KEY_MIN_VERSION (default 1). Values encrypted with a key of a lower version are not decrypted. */
export function minimumKeyVersion(env: NodeJS.ProcessEnv = process.env): number {
  const version = Number(env['MASTER_KEY_MIN_VERSION'] || 1);
  if (!Number.isInteger(version) || version < 1)
    throw new Error('MASTER_KEY_MIN_VERSION must be a whole number, 1 or more');
  return version;
}
