import type { Command } from 'commander';
import { buyCredits, type Purchase, quoteCredits } from '../terminal/buy-credits';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';
import { saveVerb } from '../terminal/save-file';
import { addList, addShow } from '../row-verbs';
import { MONEY_LISTS } from '../rows/money-lists';
import { SHOWS } from '../rows/shows';

type TopUpOptions = GlobalOptions & Purchase & { quote?: boolean };

/** `market topup` and `market invoices …`. */
export function creditVerbs(program: Command): void {
  program
    .command('topup')
    .argument('<amount>', 'amount of money, such as 10 or 9.50')
    .description('buys credits: 1 INR or 0.01 USD is one credit; EUR and GBP have an exchange rate')
    .option('--currency <currency>', 'INR, USD, EUR or GBP', 'USD')
    .option('--quote', 'prints what the amount would buy now, and pays nothing')
    .option('--save-method', 'saves the payment method, for market auto-topup')
    .option(
      '--idempotency-key <key>',
      'a repeated request with the same key buys once; default: a random key',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  market topup 10\n  market topup 500 --currency INR\n  market topup 20 --currency EUR --quote',
    )
    .action(
      verb((amount: string, _options, command: Command) => {
        const options = command.optsWithGlobals<TopUpOptions>();
        const buy = options.quote ? quoteCredits : buyCredits;
        return buy(connectPerson(options), amount, options);
      }),
    );

  const invoices = program
    .command('invoices')
    .description('lists and downloads the invoices of your top-ups');
  addList(invoices, 'list', MONEY_LISTS['invoices list']);
  addList(invoices, 'notes', MONEY_LISTS['invoices notes']);
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
    .argument('<invoice>', 'invoice id, ivc_…, or the id of a note, nte_…')
    .description('downloads an invoice or a note as PDF, or as electronic invoice')
    .option('--xml', 'the electronic invoice (UBL 2.1 of EN 16931)')
    .option('--output <file>', 'file to write; default: <invoice>.pdf or <invoice>.xml')
    .addHelpText(
      'after',
      '\nExamples:\n  market invoices show ivc_… --output invoice.pdf\n  market invoices show nte_… --xml',
    )
    .action(
      verb((id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { output?: string; xml?: boolean }>();
        const list = id.startsWith('nte_') ? 'invoice-notes' : 'invoices';
        const format = options.xml === true ? 'xml' : 'pdf';
        const path = `/v1/billing/${list}/${encodeURIComponent(id)}.${format}`;
        return saveVerb(connect(options), path, options.output ?? `${id}.${format}`);
      }),
    );
}

/** `market statements …`: what moved in a month. */
export function statementVerbs(program: Command): void {
  const statements = program.command('statements').description('the statement of a month of your account');
  addShow(statements, 'show', SHOWS['statements show']);
  statements
    .command('download')
    .argument('<month>', 'a month in UTC, such as 2026-11')
    .description('downloads the statement of a month as PDF or CSV')
    .option('--csv', 'a table for spreadsheets')
    .option('--output <file>', 'file to write; default: statement-<month>.pdf or .csv')
    .addHelpText('after', '\nExample:\n  market statements download 2026-11 --csv')
    .action(
      verb((month: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { output?: string; csv?: boolean }>();
        const format = options.csv === true ? 'csv' : 'pdf';
        const path = `/v1/billing/statements/${encodeURIComponent(month)}/statement.${format}`;
        return saveVerb(connect(options), path, options.output ?? `statement-${month}.${format}`);
      }),
    );
}
