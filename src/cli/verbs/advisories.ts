import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { createAdvisories, type ImportReport } from '../../services/verification/advisories';
import { verb } from '../command-line';
import { withDatabase } from '../database';
import { logCommand, REASON } from '../operator-log';

/** `market advisories …`: the records of vulnerable and malicious packages. */
export function advisoryVerbs(program: Command): void {
  program
    .command('advisories')
    .description('Manages records of vulnerable and malicious packages (OSV)')
    .command('import')
    .argument('<path>', 'a directory of records (at any depth), a zip archive of records, or one record')
    .description('imports npm and PyPI records; agents that pin an affected version are verified again')
    .option('--complete', 'the path holds all records of its ecosystems: they count as covered')
    .option(...REASON)
    .addHelpText(
      'after',
      `
Safe to interrupt and repeat. Exit 1: some files contain no record. An ecosystem is covered only by a
complete import; otherwise its checks earn no points. Archives of all records of an ecosystem:
https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip and …/PyPI/all.zip

Examples:
  market advisories import --complete npm/all.zip
  market advisories import osv --json`,
    )
    .action(
      verb((path: string, _options: unknown, command: Command) =>
        withDatabase('advisories import', async (pool) => {
          await logCommand(pool, command, { action: 'advisory.import', subject: subjectOf(path) });
          const advisories = createAdvisories({ pool });
          const { complete } = command.opts<{ complete?: boolean }>();
          const report = await (complete ? advisories.importComplete(path) : advisories.import(path));
          return {
            text: toText(report, complete),
            json: report,
            exitCode: report.unreadableTotal === 0 ? 0 : 1,
          };
        }),
      ),
    );
}

/** The last component of the path, so that the audit log does not contain the host's folders. */
function subjectOf(path: string): string {
  return basename(resolve(path)).slice(0, 200) || 'records';
}

function toText(report: ImportReport, isComplete = false): string {
  const { files, records, changed, withdrawn, unreadable, unreadableTotal } = report;
  const lines = [
    `${files} files, ${records} npm and PyPI records (${withdrawn} withdrawn), ${changed} changed.`,
  ];
  for (const { ecosystem, newest } of isComplete ? report.ecosystems : [])
    lines.push(`${ecosystem} is covered until ${newest}.`);
  if (unreadableTotal > 0) lines.push(`${unreadableTotal} files contain no record: ${unreadable.join(', ')}`);
  return lines.join('\n');
}
