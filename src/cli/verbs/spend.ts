import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { tableText } from '../terminal/terminal-text';
import { creditsText } from '../../domain/ledger/money';

interface SpendOptions extends GlobalOptions {
  by: string;
  since?: string;
  until?: string;
  tag?: string;
  csv?: boolean;
}

type Spend = Schema<'Spend'>;
type Group = NonNullable<Spend['groups']>[number];

/** `market spend`: what calls cost, by day, agent, key, tag and member. */
export function spendVerbs(program: Command): void {
  program
    .command('spend')
    .description('prints what you paid for calls, by day, agent, key, tag and member')
    .option(
      '--by <parts>',
      'some of day, agent, key, tag and member (of your organisation), with commas between them',
      'agent',
    )
    .option('--since <time>', 'ISO 8601; without: the first day of the month')
    .option('--until <time>', 'ISO 8601; without: now')
    .option('--tag <pair>', 'only calls with this pair of metadata, such as project=atlas')
    .option('--csv', 'print a table for spreadsheets')
    .addHelpText(
      'after',
      '\nExamples:\n  market spend\n  market spend --by day,tag --since 2026-11-01T00:00:00Z\n  market spend --by agent --tag project=atlas --csv > spend.csv',
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<SpendOptions>();
        const query = new URLSearchParams({ group_by: options.by });
        for (const field of ['since', 'until', 'tag'] as const)
          if (options[field] !== undefined) query.set(field, options[field]);
        const api = connect(options);
        const spend = await api.call<Spend>('GET', `/v1/billing/spend?${query.toString()}`);
        const { groups = [] } = spend;
        if (options.csv)
          return {
            text: (await api.download(`/v1/billing/spend.csv?${query.toString()}`)).toString(),
            json: spend,
          };
        const rows = groups.map((group) => [
          ...namesOf(group),
          String(group.calls),
          creditsText(group.credits),
        ]);
        const title = [...options.by.split(',').sort(inOrder), 'calls', 'credits'];
        const total = `${spend.calls} calls, ${creditsText(spend.credits)}, from ${spend.first_day} to ${spend.end_day} (exclusive)`;
        const text = rows.length === 0 ? total : `${tableText([title, ...rows])}\n${total}`;
        return { text, json: spend };
      }),
    );
}

const ORDER = ['day', 'agent', 'key', 'tag', 'member'];
const inOrder = (one: string, other: string) => ORDER.indexOf(one) - ORDER.indexOf(other);

/** The cells of a group: one for each part, in the order of the parts. */
function namesOf(group: Group): string[] {
  const { date, agent_id: agent, key_id: key, key_name: name, tag, member_id: member } = group;
  const cells = [
    date,
    agent,
    key === null ? 'no key' : (name ?? key),
    tag && `${tag.name}=${tag.value}`,
    member === null ? 'no member' : (group.member_name ?? member),
  ];
  return cells.filter((cell) => cell !== undefined);
}
