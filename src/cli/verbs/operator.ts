import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { groupOf, verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { tableText } from '../terminal/terminal-text';

/** `market operator log`. */
export function operatorVerbs(program: Command): void {
  const operator = groupOf(program, 'operator').description('manages operators, the fee and the audit log');
  addLog(operator);
  addLookup(operator);
}

type Found = Schema<'FoundSubject'>;

function addLookup(operator: Command): void {
  operator
    .command('lookup')
    .argument('<text>', 'an id, an email address or a trace id')
    .description('finds what an id, an email address or a trace id names; for operators who are logged in')
    .addHelpText(
      'after',
      '\nExamples:\n  market operator lookup ada@example.org\n  market operator lookup inv_…',
    )
    .action(
      verb(async (text: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const query = new URLSearchParams({ q: text }).toString();
        const found = await api.call<{ items: Found[] }>('GET', `/v1/operator/lookup?${query}`);
        const rows = found.items.map(({ kind, id, title, user_id }) => [kind, id, title, user_id ?? '-']);
        const table = tableText([['kind', 'id', 'what', 'account'], ...rows]);
        return { text: rows.length === 0 ? 'Nothing found.' : table, json: found };
      }),
    );
}

type Action = Schema<'OperatorAction'>;

/** Maps an option of the verb to the field of the query. */
const FILTERS = {
  operator: 'operator_user_id',
  action: 'action',
  subject: 'subject',
  since: 'since',
  until: 'until',
  limit: 'limit',
  cursor: 'cursor',
} as const;
type LogOptions = GlobalOptions & Partial<Record<keyof typeof FILTERS, string>>;

function addLog(operator: Command): void {
  operator
    .command('log')
    .description('lists the audit log of operators, newest first; for operators who are logged in')
    .option('--operator <user>', 'actions of this operator, by user id')
    .option('--action <action>', 'such as agent.suspend or payout.settle')
    .option('--subject <id>', 'id of the object of the action')
    .option('--since <time>', 'from this time on, such as 2026-11-16T00:00:00Z')
    .option('--until <time>', 'before this time')
    .option('--limit <rows>', 'rows per page, 1 to 100', '20')
    .option('--cursor <cursor>', 'cursor of the next page (next_cursor of the previous one)')
    .addHelpText(
      'after',
      '\nExamples:\n  market operator log --action wallet.freeze\n  market operator log --subject agt_unit_converter_v1 --json',
    )
    .action(
      verb(async (_options: unknown, command: Command) => {
        const options = command.optsWithGlobals<LogOptions>();
        const query = new URLSearchParams();
        for (const [option, field] of Object.entries(FILTERS)) {
          const value = options[option as keyof typeof FILTERS];
          if (value !== undefined) query.set(field, value);
        }
        const path = `/v1/operator/actions?${query.toString()}`;
        const page = await connect(options).call<{ items: Action[]; next_cursor: string | null }>(
          'GET',
          path,
        );
        const more = page.next_cursor === null ? [] : [`more: --cursor ${page.next_cursor}`];
        return { text: [tableText([HEAD, ...page.items.map(toRow)]), ...more].join('\n'), json: page };
      }),
    );
}

const HEAD = ['at', 'operator', 'action', 'subject', 'reason'];

function toRow({ created_at, operator_user_id, run_by, action, subject, reason }: Action): string[] {
  return [created_at, operator_user_id ?? run_by ?? '', action, subject, reason];
}
