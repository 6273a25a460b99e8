import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { listVerb, type PageOptions, recordResult, withPages } from '../terminal/pages';

type Payment = Schema<'Payment'>;

const PATH = '/v1/operator/payments';

/** `market payments …`: incoming payments that match no top-up, for operators. */
export function paymentVerbs(program: Command): void {
  const payments = program.command('payments').description('payments that need a decision; for operators');

  withPages(payments.command('list'))
    .option('--state <state>', 'quarantined (default), credited, resolved_credited or resolved_returned')
    .description('lists payments, newest first')
    .addHelpText('after', '\nExample:\n  market payments list')
    .action(
      verb((_options, command: Command) => {
        const options = command.optsWithGlobals<PageOptions & { state?: string }>();
        return listVerb<Payment>(connectPerson(options), PATH, options, {
          filter: { state: options.state },
          head: ['payment', 'received', 'state', 'reason', 'paid', 'expected', 'top-up'],
          row: (payment) => [
            payment.payment_id,
            payment.received_at,
            payment.state,
            payment.quarantine_reason ?? '-',
            `${(payment.amount_minor / 100).toFixed(2)} ${payment.currency}`,
            payment.expected_minor === null ? '-' : (payment.expected_minor / 100).toFixed(2),
            payment.topup_id ?? '-',
          ],
        });
      }),
    );

  payments
    .command('show')
    .argument('<payment>', "the payment provider's id")
    .description('prints one payment')
    .addHelpText('after', '\nExample:\n  market payments show pay_FOGsH8uHkF2FbR')
    .action(
      verb(async (paymentId: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<Payment>('GET', `${PATH}/${encodeURIComponent(paymentId)}`));
      }),
    );
  addResolve(payments);
  addReversals(payments);
}

type Reversal = Schema<'PaymentReversal'>;

function addReversals(payments: Command): void {
  withPages(payments.command('reversals'))
    .option('--owed', 'only those with a debt that is not paid yet')
    .description('lists refunds and chargebacks of payments, newest first')
    .addHelpText('after', '\nExample:\n  market payments reversals --owed')
    .action(
      verb((_options, command: Command) => {
        const options = command.optsWithGlobals<PageOptions & { owed?: boolean }>();
        return listVerb<Reversal>(connectPerson(options), '/v1/operator/reversals', options, {
          filter: { owed: options.owed ? 'true' : undefined },
          head: ['reversal', 'kind', 'state', 'payment', 'amount', 'credits taken', 'credits owed'],
          row: (reversal) => [
            reversal.reversal_id,
            reversal.kind,
            reversal.state,
            reversal.payment_id,
            `${(reversal.amount_minor / 100).toFixed(2)} ${reversal.currency}`,
            String(reversal.reversed_credits),
            String(reversal.owed_credits),
          ],
        });
      }),
    );
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
