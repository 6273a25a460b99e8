import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { SHOWS } from '../rows/shows';
import { addShow } from '../row-verbs';
import { readJsonArgument } from '../terminal/json-argument';
import { recordResult } from '../terminal/pages';

/** `market tax …`: who issues invoices and the tax rates, for operators (docs/invoices.md). */
export function taxVerbs(program: Command): void {
  const tax = program.command('tax').description('the issuer of invoices and the tax rates; for operators');
  addShow(tax, 'show', SHOWS['tax show']);
  tax
    .command('set')
    .argument('<settings>', 'issuer and rates as JSON, @<file>, or - for standard input')
    .requiredOption('--reason <text>', 'for the audit log')
    .description('sets who issues invoices and the tax rates, for top-ups from now on')
    .addHelpText(
      'after',
      `
Example:
  market tax set @tax.json --reason 'Registered for VAT'

tax.json:
  {"issuer": {"name": "Market GmbH", "address": "Friedrichstraße 10\\\\n10117 Berlin", "country": "DE",
              "tax_number": "DE136695976", "email": "billing@market.example"},
   "rates": [{"country": "DE", "name": "VAT", "percent": 19, "reverse_charge": false}]}`,
    )
    .action(
      verb(async (settings: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { reason: string }>();
        const body = { ...(await readJsonArgument(settings, 'the settings')), reason: options.reason };
        return recordResult(
          await connectPerson(options).call<Schema<'TaxSettings'>>('PUT', '/v1/operator/tax-settings', body),
        );
      }),
    );
}
