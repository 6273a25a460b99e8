import type { Command } from 'commander';
import { createPasswords } from '../../kit/passwords';
import { createAccountsService } from '../../services/accounts';
import { verb, withDatabase } from '../command-line';

/** `market operator …`. */
export function operatorVerbs(program: Command): void {
  const operator = program.command('operator').description('Who runs the marketplace');

  operator
    .command('grant')
    .argument('<email>', 'of an existing account')
    .description('gives an account the role operator, which nobody can take through the API')
    .addHelpText('after', '\nExample:\n  market operator grant ada@example.org')
    .action(
      verb(async (email: string) => {
        const account = await withDatabase('operator grant', (pool) =>
          createAccountsService({ pool, passwords: createPasswords() }).grantOperator(email),
        );
        return {
          text: `${account.email} (${account.userId}) is an operator now.`,
          json: { email: account.email, user_id: account.userId },
        };
      }),
    );
}
