import type { Command } from 'commander';
import { Pool } from 'pg';
import { checkLedger, formatReport } from '../../services/ledger-check';
import { verb } from '../command-line';
import { databaseUrl } from '../database-url';

/** `market ledger …`. */
export function ledgerVerbs(program: Command): void {
  const ledger = program.command('ledger').description('The books of the marketplace');

  ledger
    .command('check')
    .description('proves the ledger from its entries, while calls run')
    .addHelpText(
      'after',
      `
Exit 0: whole; 1: something does not add up; 2: the check could not run.

Examples:
  market ledger check
  DATABASE_URL=postgres://… market ledger check --json`,
    )
    .action(
      verb(async () => {
        // no limits of time: the proofs read everything
        const pool = new Pool({ connectionString: databaseUrl(), max: 1, connectionTimeoutMillis: 5_000 });
        pool.on('error', () => undefined);
        try {
          const report = await checkLedger(pool);
          return { text: formatReport(report), json: report, exitCode: report.ok ? 0 : 1 };
        } finally {
          await pool.end();
        }
      }, 2),
    );
}
