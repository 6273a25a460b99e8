import { Pool } from 'pg';
import { checkLedger, formatReport } from '../services/ledger-check';
import { databaseUrl } from './database-url';

/**
 * `npm run ledger:check`: proves the ledger of DATABASE_URL, or of the stack that runs here (.market/runtime.json),
 * and prints the proofs. Exit 0: whole; 1: something does not add up; 2: the check could not run.
 */
async function main(): Promise<number> {
  const pool = new Pool({ connectionString: databaseUrl(), max: 1, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => undefined);
  try {
    const report = await checkLedger(pool);
    process.stdout.write(`${formatReport(report)}\n`);
    return report.ok ? 0 : 1;
  } finally {
    await pool.end();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `ledger:check could not run: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 2;
  },
);
