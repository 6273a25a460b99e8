import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { addList } from '../row-verbs';
import { MONEY_LISTS } from '../rows/money-lists';
import { recordResult } from '../terminal/pages';
import { wholeNumber } from './api-keys';

const PATH = '/v1/billing/budgets';
const budgetPath = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

interface AddOptions extends GlobalOptions {
  window: string;
  tag?: string;
}

/** `market budgets …`: what your calls may cost in a day, week or month (docs/keys-and-limits.md#budgets). */
export function budgetVerbs(program: Command): void {
  const budgets = program.command('budgets').description('sets what your calls may cost in a window');
  addList(budgets, 'list', MONEY_LISTS['budgets list']);
  budgets
    .command('add')
    .argument('<credits>', 'most credits in each window')
    .option('--window <window>', 'day, week, month or lifetime', 'month')
    .option('--tag <pair>', 'only calls with this pair of metadata, such as project=atlas')
    .description('sets a budget for all your calls, or for those with a tag')
    .addHelpText(
      'after',
      '\nExamples:\n  market budgets add 500\n  market budgets add 100 --window day --tag project=atlas',
    )
    .action(
      verb(async (credits: string, _options, command: Command) => {
        const options = command.optsWithGlobals<AddOptions>();
        const body = {
          credits: wholeNumber('<credits>', credits),
          window: options.window,
          ...(options.tag !== undefined && { tag: options.tag }),
        };
        return recordResult(await connectPerson(options).call<Schema<'Budget'>>('POST', PATH, body));
      }),
    );
  budgets
    .command('change')
    .argument('<budget>', 'budget id, bgt_…')
    .argument('<credits>', 'most credits in each window')
    .description('changes the credits of a budget from the next call on')
    .addHelpText('after', '\nExample:\n  market budgets change bgt_… 800')
    .action(
      verb(async (id: string, credits: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const body = { credits: wholeNumber('<credits>', credits) };
        return recordResult(await api.call<Schema<'Budget'>>('PATCH', budgetPath(id), body));
      }),
    );
  budgets
    .command('delete')
    .argument('<budget>', 'budget id, bgt_…')
    .description('deletes a budget')
    .addHelpText('after', '\nExample:\n  market budgets delete bgt_…')
    .action(
      verb(async (id: string, _options, command: Command) => {
        await connectPerson(command.optsWithGlobals<GlobalOptions>()).call('DELETE', budgetPath(id));
        return { text: `Deleted ${id}.`, json: { budget_id: id, deleted: true } };
      }),
    );
}
