import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { readAmount } from '../terminal/amount';
import { recordResult } from '../terminal/pages';
import { addList, addShow } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { SHOWS } from '../rows/shows';

type Payment = Schema<'Payment'>;

interface RefundOptions extends GlobalOptions {
  reason: string;
  amount?: string;
  idempotencyKey?: string;
}

const PATH = '/v1/operator/payments';

/** `market payments …` and `market x402-payments …`: incoming payments, for operators. */
export function paymentVerbs(program: Command): void {
  const payments = program.command('payments').description('payments that need a decision; for operators');

  addList(payments, 'list', CASE_LISTS['payments list']);
  addShow(payments, 'show', SHOWS['payments show']);
  addResolve(payments);
  addRefund(payments);
  addList(payments, 'reversals', CASE_LISTS['payments reversals']);

  const byX402 = program
    .command('x402-payments')
    .description('payments of callers without an account; for operators');
  addList(byX402, 'list', CASE_LISTS['x402-payments list']);
  addShow(byX402, 'show', SHOWS['x402-payments show']);
}

function addRefund(payments: Command): void {
  payments
    .command('refund')
    .argument('<payment>', "the payment provider's id")
    .requiredOption('--reason <text>', 'reason, kept in the audit log')
    .option('--amount <money>', 'amount of money, such as 9.50; default: all of the payment')
    .option(
      '--idempotency-key <key>',
      'a repeated request with the same key refunds once; default: a random key',
    )
    .description('refunds a payment at its provider, whose event then takes the credits')
    .addHelpText('after', '\nExample:\n  market payments refund pi_… --amount 9.50 --reason "Paid too much."')
    .action(
      verb(async (paymentId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<RefundOptions>();
        const { reason, amount, idempotencyKey } = options;
        const minor = amount === undefined ? {} : { amount_minor: Math.round(readAmount(amount) * 100) };
        const path = `${PATH}/${encodeURIComponent(paymentId)}/refund`;
        const headers = { 'Idempotency-Key': idempotencyKey ?? randomUUID() };
        const api = connectPerson(options);
        return recordResult(await api.call<Payment>('POST', path, { reason, ...minor }, headers));
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
