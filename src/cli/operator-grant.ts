import { createPasswords } from '../kit/passwords';
import { createAccountsService } from '../services/accounts';
import { createPool } from '../stores/db';
import { databaseUrl } from './database-url';

/**
 * `npm run operator:grant -- <email>`: gives an existing account the role `operator`, which nobody can take through
 * the API. Works on DATABASE_URL, or on the stack that runs here. Exit 0: granted; 1: not.
 */
async function main(): Promise<void> {
  const [email, ...more] = process.argv.slice(2);
  if (!email || more.length > 0) throw new Error('usage: npm run operator:grant -- <email>');
  const pool = createPool({
    connectionString: databaseUrl(),
    max: 1,
    applicationName: 'operator-grant',
    onError: () => undefined,
  });
  try {
    const account = await createAccountsService({ pool, passwords: createPasswords() }).grantOperator(email);
    process.stdout.write(`${account.email} (${account.userId}) is an operator now.\n`);
  } finally {
    await pool.end();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`operator:grant: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
