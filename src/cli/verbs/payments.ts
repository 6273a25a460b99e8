import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';
import { addList, addShow } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { SHOWS } from '../rows/shows';

type Payment = Schema<'Payment'>;

const PATH = '/v1/operator/payments';

/** `market payments …`: incoming payments that match no top-up, for operators. */
export function paymentVerbs(program: Command): void {
  const payments = program.command('payments').description('payments that need a decision; for operators');

  addList(payments, 'list', CASE_LISTS['payments list']);
  addShow(payments, 'show', SHOWS['payments show']);
  addResolve(payments);
  addList(payments, 'reversals', CASE_LISTS['payments reversals']);
}

function addResolve(payments: Command): void {
  payments
    .command('resolve')
    .argument('<payment>', "the payment provider's id")
    .argument('<decision>', 'credit: convert it to credits; return: it was refunded at the provider')
    .requiredOption('--reason <text>', 'reason, kept in the audit log')
    .option('--user <user>', 'user who receives the credits, usr_…; default: the owner of the top-up')
    .description('resolves a quarantined payment')
    .addHelpText(
      'after',
      '\nExample:\n  market payments resolve pay_FOGsH8uHkF2FbR credit --reason "The bank took its fee."',
    )
    .action(
      verb(async (paymentId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { reason: string; user?: string }>();
        const { reason, user } = options;
        const body = { decision, reason, ...(user !== undefined && { user_id: user }) };
        const path = `${PATH}/${encodeURIComponent(paymentId)}/resolve`;
        return recordResult(await connectPerson(options).call<Payment>('POST', path, body));
      }),
    );
}
