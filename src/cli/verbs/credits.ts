import type { Command } from 'commander';
import { buyCredits, type Purchase } from '../terminal/buy-credits';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';
import { saveVerb } from '../terminal/save-file';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

type TopUpOptions = GlobalOptions & Purchase;

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
      verb((amount: string, _options, command: Command) => {
        const options = command.optsWithGlobals<TopUpOptions>();
        return buyCredits(connectPerson(options), amount, options);
      }),
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
