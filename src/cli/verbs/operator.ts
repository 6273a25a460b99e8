import type { Command } from 'commander';
import { createPasswords } from '../../kit/crypto/passwords';
import { FEE_PERCENT, parseFeePercent } from '../../domain/billing/platform-fee';
import { createAccountsService } from '../../services/accounts/accounts';
import { createPlatformFee } from '../../services/billing/platform-fee';
import { verb, withDatabase } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { commandOf, REASON } from '../operator-log';
import { tableText } from '../terminal/terminal-text';

/** `market operator …`. */
export function operatorVerbs(program: Command): void {
  const operator = program.command('operator').description('Manages operators and their audit log');

  operator
    .command('grant')
    .argument('<email>', 'email of an existing account')
    .option(...REASON)
    .description('grants an account the role operator, which the API cannot grant')
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
  addFee(operator);
  addLog(operator);
}

function addFee(operator: Command): void {
  operator
    .command('fee')
    .argument('[percent]', `the new rate, a whole number from ${FEE_PERCENT.least} to ${FEE_PERCENT.most}`)
    .option(...REASON)
    .description("shows or changes the platform's share of each charge; live versions keep their rate")
    .addHelpText(
      'after',
      '\nExamples:\n  market operator fee\n  market operator fee 4 --reason "Prices of 2027"',
    )
    .action(
      verb((text: string | undefined, _options: unknown, command: Command) =>
        withDatabase('operator fee', async (pool) => {
          const fee = createPlatformFee({ pool });
          if (text === undefined) {
            const now = await fee.read();
            return { text: `The fee is ${now}% for versions that go live now.`, json: { fee_percent: now } };
          }
          const percent = parseFeePercent(text);
          if (percent === undefined)
            throw new Error(
              `"${text}" is not a fee: give a whole number of percent from ${FEE_PERCENT.least} to ${FEE_PERCENT.most}`,
            );
          const { from } = await fee.change(percent, commandOf(command));
          return {
            text: `The fee is ${percent}% (before: ${from}%) for versions that go live from now on. Live versions keep theirs.`,
            json: { fee_percent: percent, previous_percent: from },
          };
        }),
      ),
    );
}

interface Action {
  operator_user_id: string | null;
  run_by: string | null;
  action: string;
  subject: string;
  reason: string;
  created_at: string;
}

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
