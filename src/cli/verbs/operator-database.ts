import type { Command } from 'commander';
import { createPasswords } from '../../kit/crypto/passwords';
import { FEE_PERCENT, parseFeePercent } from '../../domain/billing/platform-fee';
import { createAccountsService } from '../../services/accounts/accounts';
import { createPlatformFee } from '../../services/billing/platform-fee';
import { groupOf, verb } from '../command-line';
import { withDatabase } from '../database';
import { commandOf, REASON } from '../operator-log';

/** The verbs of `market operator` that work on the database. */
export function operatorDatabaseVerbs(program: Command): void {
  const operator = groupOf(program, 'operator');

  operator
    .command('grant')
    .argument('<email>', 'email of an existing account')
    .option(...REASON)
    .description('grants an account the role operator; the first operator is made so')
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
