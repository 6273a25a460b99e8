import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { SHOWS } from '../rows/shows';
import { addShow } from '../row-verbs';
import { recordResult } from '../terminal/pages';

interface DetailOptions extends GlobalOptions {
  company?: string;
  address?: string;
  country?: string;
  taxNumber?: string;
  receiptsEmail?: string;
  reference?: string;
}

/** `market billing …`: what invoices name the account by. */
export function billingVerbs(program: Command): void {
  const billing = program.command('billing').description('the billing details on your invoices');
  addShow(billing, 'show', SHOWS['billing show']);
  billing
    .command('set')
    .description('changes what the invoices that follow name you by; an empty text removes a detail')
    .option('--company <name>', 'name of the company')
    .option('--address <lines>', 'postal address; \\n begins a line')
    .option('--country <code>', 'country code of two letters, such as DE')
    .option('--tax-number <number>', 'VAT number, GSTIN or the number of the country')
    .option('--receipts-email <address>', 'address that invoices name; default: that of the account')
    .option('--reference <text>', 'your own reference, such as the number of a purchase order')
    .addHelpText(
      'after',
      `
Examples:
  market billing set --company 'Analytical Engines GmbH' --country DE --tax-number DE123456788
  market billing set --address 'Unter den Linden 1\\n10117 Berlin'
  market billing set --tax-number ''`,
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<DetailOptions>();
        const body = changeOf(options);
        if (Object.keys(body).length === 0) throw usageFailure('name a detail, such as --company');
        return recordResult(
          await connectPerson(options).call<Schema<'BillingDetails'>>('PATCH', '/v1/billing/details', body),
        );
      }),
    );
}

function changeOf(options: DetailOptions): Record<string, string | null> {
  const given: Record<string, string | undefined> = {
    company: options.company,
    address: options.address?.replaceAll('\\n', '\n'),
    country: options.country?.toUpperCase(),
    tax_number: options.taxNumber,
    receipts_email: options.receiptsEmail,
    reference: options.reference,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value || null]])),
  );
}
