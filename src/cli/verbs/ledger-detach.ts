import type { Command } from 'commander';
import { detachMonths, type DetachReport } from '../../services/ledger/ledger-months';
import { verb } from '../command-line';
import { ownerUrl, withUnlimited } from '../database';
import { usageFailure } from '../failure';
import { logCommand, REASON } from '../operator-log';

interface DetachFlags {
  folder: string;
  month?: string;
  keepDays?: string;
}

/**
 * `market ledger detach`: exports the months that are old enough, and takes them out of the tables that calls write.
 */
export function addDetach(ledger: Command): void {
  ledger
    .command('detach')
    .description('exports the months of money that are old enough, and moves them out of the tables of calls')
    .requiredOption('--folder <folder>', 'where the files of the months are')
    .option('--month <month>', 'only this month, as YYYY-MM')
    .option('--keep-days <days>', 'days that a month stays after its end; default: LEDGER_KEEP_DAYS')
    .option(...REASON)
    .addHelpText(
      'after',
      `
Works on the database of MIGRATE_DATABASE_URL (the role that owns the tables), or on that of the local stack. Run it each
month. A month stays when it ended less than 100 days ago, when a check has not proven it, or when a call, a hold, an
earning, a payout, a dispute or a slash in it is open. For every other month it writes ledger-YYYY-MM.gz unless the file
exists, reads the file back, and compares it with the digests and the rows. Then the month moves into the schema archive.
Receipts, statements, lists and checks go on reading it there.

Exit 0: done, or nothing was due; 1: --month stays, or a file is not the month.

Examples:
  LEDGER_KEEP_DAYS=400 market ledger detach --folder /archives
  market ledger detach --folder /archives --month 2026-01 --keep-days 100 --reason "disk is full"`,
    )
    .action(
      verb(async (flags: DetachFlags, command: Command) => {
        const { folder, month } = flags;
        if (month !== undefined && !/^20[0-9]{2}-(0[1-9]|1[0-2])$/.test(month))
          throw usageFailure(`the month must be like 2026-08, not ${month}`);
        const keepDays = keepDaysOf(flags.keepDays ?? process.env['LEDGER_KEEP_DAYS']);
        const report = await withUnlimited(ownerUrl(), async (pool) => {
          await logCommand(pool, command, {
            action: 'ledger.detach',
            subject: month ?? 'months',
            details: { keepDays },
          });
          return detachMonths(pool, { folder, month, keepDays });
        });
        return { text: textOf(report), json: report, exitCode: month && report.kept.length > 0 ? 1 : 0 };
      }),
    );
}

function keepDaysOf(setting: string | undefined): number {
  if (setting === undefined || setting === '')
    throw usageFailure('say how long months stay: --keep-days <days>, or LEDGER_KEEP_DAYS');
  if (!/^[1-9][0-9]{2,4}$/.test(setting))
    throw usageFailure(`months stay for 100 to 99999 days after their end, not for ${setting}`);
  return Number(setting);
}

function textOf({ detached, kept }: DetachReport): string {
  const lines = [
    ...detached.map(
      ({ month, file, sha256, bytes }) => `${month}: detached, ${bytes} bytes; ${file}, SHA-256 ${sha256}`,
    ),
    ...kept.map(({ month, problems }) => `${month}: stays; ${problems.join('; ')}`),
  ];
  return lines.length > 0 ? lines.join('\n') : 'There is no month of money.';
}
