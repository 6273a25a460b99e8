import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson } from '../connect';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { recordResult } from '../terminal/pages';
import { wholeNumber } from './api-keys';

const TOPICS = 'agents, disputes, bond, payouts, wallet, prices, budgets, keys, logins';
const MAILS = '/v1/notices/mails';

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
  notices
    .command('balance')
    .argument('[credits]', 'a whole number, or none; without one, prints it')
    .description('prints or sets the balance of your wallet below which you get a notice')
    .addHelpText('after', '\nExamples:\n  market notices balance\n  market notices balance 100')
    .action(
      verb(async (credits: string | undefined, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals());
        const path = '/v1/notices/balance';
        if (credits === undefined) return recordResult(await api.call<Schema<'BalanceAlert'>>('GET', path));
        const below = credits === 'none' ? null : wholeNumber('<credits>', credits);
        return recordResult(await api.call<Schema<'BalanceAlert'>>('PUT', path, { below_credits: below }));
      }),
    );
  notices
    .command('mails')
    .description('prints about what you get mails, and turns mails on or off')
    .option('--on <topics...>', TOPICS)
    .option('--off <topics...>', TOPICS)
    .addHelpText(
      'after',
      '\nExamples:\n  market notices mails\n  market notices mails --off agents --on payouts',
    )
    .action(
      verb(async ({ on = [], off = [] }: { on?: string[]; off?: string[] }, command: Command) => {
        const api = connectPerson(command.optsWithGlobals());
        const before = await api.call<Schema<'MailSettings'>>('GET', MAILS);
        if (on.length + off.length === 0) return recordResult(before);
        const setTo = (topics: string[], value: boolean) => topics.map((topic) => [topic, value] as const);
        const body = { ...before, ...Object.fromEntries([...setTo(on, true), ...setTo(off, false)]) };
        return recordResult(await api.call<Schema<'MailSettings'>>('PUT', MAILS, body));
      }),
    );
}
