import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson } from '../connect';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { recordResult } from '../terminal/pages';

/** `market notices …`: what people should know of their account. */
export function noticeVerbs(program: Command): void {
  const notices = program.command('notices').description('notices about your account');
  addList(notices, 'list', LISTS['notices list']);
  notices
    .command('read')
    .argument('[notices...]', 'ids of notices, ntc_…; all of them without one')
    .description('marks notices as read, and prints what still waits for you')
    .addHelpText('after', '\nExamples:\n  market notices read\n  market notices read ntc_…')
    .action(
      verb(async (ids: string[], _options, command: Command) => {
        const body = ids.length > 0 ? { notice_ids: ids } : {};
        const api = connectPerson(command.optsWithGlobals());
        return recordResult(await api.call<Schema<'Waiting'>>('POST', '/v1/notices/read', body));
      }),
    );
}
