import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { checkLedger, formatReport } from '../services/ledger-check';

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

function databaseUrl(): string {
  const fromEnvironment = process.env['DATABASE_URL'];
  if (fromEnvironment) return fromEnvironment;
  const file = join(process.env['MARKET_HOME'] ?? '.market', 'runtime.json');
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { postgres_url: string }).postgres_url;
  } catch (error) {
    throw new Error(`set DATABASE_URL, or start the stack: ${file} cannot be read`, { cause: error });
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
