import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { createAdvisories, type ImportReport } from '../../services/verification/advisories';
import { verb, withDatabase } from '../command-line';
import { noteDeed, REASON } from '../operator-log';

/** `market advisories …`: what is known of vulnerable and malicious packages. */
export function advisoryVerbs(program: Command): void {
  program
    .command('advisories')
    .description('Known vulnerable and malicious packages (records of OSV)')
    .command('import')
    .argument('<path>', 'a directory of records at any depth, a zip archive of them, or one record')
    .description('imports records of npm and PyPI; agents that pin an affected version are verified anew')
    .option(...REASON)
    .addHelpText(
      'after',
      `
May be interrupted and repeated. Exit 1: some files hold no record.

Examples:
  market advisories import osv/npm/all.zip
  market advisories import osv --json`,
    )
    .action(
      verb((path: string, _options: unknown, command: Command) =>
        withDatabase('advisories import', async (pool) => {
          await noteDeed(pool, command, { action: 'advisory.import', subject: subjectOf(path) });
          const report = await createAdvisories({ pool }).import(path);
          return { text: toText(report), json: report, exitCode: report.unreadableTotal === 0 ? 0 : 1 };
        }),
      ),
    );
}

/** Where the records came from, without the folders of the host. */
function subjectOf(path: string): string {
  return basename(resolve(path)).slice(0, 200) || 'records';
}

function toText(report: ImportReport): string {
  const { files, records, changed, withdrawn, unreadable, unreadableTotal } = report;
  const lines = [
    `${files} files, ${records} records of npm and PyPI (${withdrawn} withdrawn), ${changed} changes.`,
  ];
  if (unreadableTotal > 0) lines.push(`${unreadableTotal} files hold no record: ${unreadable.join(', ')}`);
  return lines.join('\n');
}
