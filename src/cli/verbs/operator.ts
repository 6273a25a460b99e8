import type { Command } from 'commander';
import { createPasswords } from '../../kit/crypto/passwords';
import { createAccountsService } from '../../services/accounts/accounts';
import { verb, withDatabase } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { commandOf, REASON } from '../operator-log';
import { tableText } from '../terminal/terminal-text';

/** `market operator …`. */
export function operatorVerbs(program: Command): void {
  const operator = program.command('operator').description('Who runs the marketplace, and what they did');

  operator
    .command('grant')
    .argument('<email>', 'of an existing account')
    .option(...REASON)
    .description('gives an account the role operator, which nobody can take through the API')
    .addHelpText('after', '\nExample:\n  market operator grant ada@example.org')
    .action(
      verb(async (email: string, _options: unknown, command: Command) => {
        const account = await withDatabase('operator grant', (pool) =>
          createAccountsService({ pool, passwords: createPasswords() }).grantOperator(
            email,
            commandOf(command),
          ),
        );
        return {
          text: `${account.email} (${account.userId}) is an operator now.`,
          json: { email: account.email, user_id: account.userId },
        };
      }),
    );
  addLog(operator);
}

interface Action {
  operator_user_id: string | null;
  run_by: string | null;
  action: string;
  subject: string;
  reason: string;
  created_at: string;
}

/** Option of the verb → field of the query. */
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
    .description('what operators did, newest first, for operators who are logged in')
    .option('--operator <user>', 'of this operator, by user id')
    .option('--action <action>', 'such as agent.suspend or payout.settle')
    .option('--subject <id>', 'what was acted upon')
    .option('--since <time>', 'from then on, such as 2026-11-16T00:00:00Z')
    .option('--until <time>', 'before then')
    .option('--limit <rows>', 'how many, up to 100', '20')
    .option('--cursor <cursor>', 'the next page: next_cursor of the one before')
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

const HEAD = ['when', 'who', 'did', 'to', 'why'];

function toRow({ created_at, operator_user_id, run_by, action, subject, reason }: Action): string[] {
  return [created_at, operator_user_id ?? run_by ?? '', action, subject, reason];
}
