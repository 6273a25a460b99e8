import { randomUUID } from 'node:crypto';
import type { Schema } from '../api-schema';
import type { Command } from 'commander';
import { ApiFailure } from '../api-client';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { readAmount } from '../terminal/amount';
import { recordResult } from '../terminal/pages';
import { saveVerb } from '../terminal/save-file';
import { creditsText } from '../../domain/ledger/money';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

interface TopUpOptions extends GlobalOptions {
  currency: string;
  idempotencyKey?: string;
}

type TopUp = Schema<'TopUpResponse'>;

const MINOR_UNITS = 100;

/** `market topup` and `market invoices …`. */
export function creditVerbs(program: Command): void {
  program
    .command('topup')
    .argument('<amount>', 'amount of money, such as 10 or 9.50')
    .description('buys credits: 1 INR or 0.01 USD is one credit')
    .option('--currency <currency>', 'INR or USD', 'USD')
    .option(
      '--idempotency-key <key>',
      'a repeated request with the same key buys once; default: a random key',
    )
    .addHelpText('after', '\nExamples:\n  market topup 10\n  market topup 500 --currency INR')
    .action(
      verb((amount: string, _options, command: Command) =>
        topUp(amount, command.optsWithGlobals<TopUpOptions>()),
      ),
    );

  const invoices = program
    .command('invoices')
    .description('lists and downloads the invoices of your top-ups');
  addList(invoices, 'list', LISTS['invoices list']);
  addDownload(invoices);
}

/** `market pay-registration`. */
export function registrationFeeVerbs(program: Command): void {
  program
    .command('pay-registration')
    .description('pays the registration fee of a developer from the wallet')
    .addHelpText('after', '\nExample:\n  market pay-registration')
    .action(
      verb(async (_options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<object>('POST', '/v1/users/pay-registration'));
      }),
    );
}

function addDownload(invoices: Command): void {
  invoices
    .command('show')
    .argument('<invoice>', 'invoice id, ivc_…')
    .description('downloads an invoice as PDF')
    .option('--output <file>', 'file to write; default: <invoice>.pdf')
    .addHelpText('after', '\nExample:\n  market invoices show ivc_… --output invoice.pdf')
    .action(
      verb((id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { output?: string }>();
        const path = `/v1/billing/invoices/${encodeURIComponent(id)}.pdf`;
        return saveVerb(connect(options), path, options.output ?? `${id}.pdf`);
      }),
    );
}

async function topUp(amount: string, options: TopUpOptions) {
  const body = { amountPaise: Math.round(readAmount(amount) * MINOR_UNITS), currency: options.currency };
  const headers = { 'Idempotency-Key': options.idempotencyKey ?? randomUUID() };
  const topup = await connectPerson(options)
    .call<TopUp>('POST', '/v1/billing/topup', body, headers)
    .catch((error: unknown) => {
      throw inMoney(error, options.currency);
    });
  const text = topup.payment_url
    ? `Pay at ${topup.payment_url}; ${creditsText(topup.credits)} follow the payment.`
    : `${creditsText(topup.credits)} (${topup.status}). The wallet has ${creditsText(topup.balance.available_credits)}.`;
  return { text, json: topup };
}

/** A refusal of the amount, with its limit in money instead of the smallest unit. */
function inMoney(error: unknown, currency: string): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const problem = error.detail.find(({ loc }) => loc.at(-1) === 'amountPaise');
  const [, relation, minor] = /^must be (<=|>=) (\d+)$/.exec(problem?.msg ?? '') ?? [];
  if (minor === undefined) return error;
  const limit = `${(Number(minor) / MINOR_UNITS).toFixed(2)} ${currency}`;
  return usageFailure(`a top-up is ${relation === '<=' ? 'at most' : 'at least'} ${limit}`);
}
