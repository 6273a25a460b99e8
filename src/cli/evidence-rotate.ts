import { createCipher } from '../kit/cipher';
import { createSigningKeys } from '../services/signing-keys';
import { createPool } from '../stores/db';
import { databaseUrl } from './database-url';
import { masterKeys } from './master-keys';

/**
 * `npm run evidence:rotate`: makes a new key that signs evidence and retires the one before, which stays in
 * /.well-known/jwks.json. Needs DATABASE_URL and MASTER_KEYS, or the stack that runs here. Exit 0: rotated; 1: not.
 */
async function main(): Promise<void> {
  const cipher = createCipher(masterKeys());
  const pool = createPool({
    connectionString: databaseUrl(),
    max: 1,
    applicationName: 'evidence-rotate',
    onError: () => undefined,
  });
  try {
    const { retired, active } = await createSigningKeys({ pool, cipher }).rotate();
    process.stdout.write(`${active} signs now${retired ? `; ${retired} is retired` : ''}.\n`);
  } finally {
    await pool.end();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`evidence:rotate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
