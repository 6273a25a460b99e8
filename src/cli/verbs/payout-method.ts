import type { Command } from 'commander';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { readJsonArgument } from '../terminal/json-argument';
import { fieldsText } from '../terminal/pages';

interface PayoutMethod {
  method: string;
  details: Record<string, string>;
  updated_at: string;
}

interface TaxForm {
  kind: string;
  status: string;
  details: Record<string, string>;
  submitted_at: string;
}

interface ReviewOptions extends GlobalOptions {
  reason: string;
}

const METHOD_PATH = '/v1/billing/developer/payout-method';
const FORM_PATH = '/v1/billing/developer/tax-form';

/** `market payout-method …` and `market tax-form …` (docs/payouts.md). */
export function payoutMethodVerbs(program: Command): void {
  addMethod(program.command('payout-method').description('where your money goes, for developers'));
  addForm(program.command('tax-form').description('your tax form, and its review by operators'));
}

function addMethod(method: Command): void {
  method
    .command('show')
    .description('your payout method, masked')
    .addHelpText('after', '\nExample:\n  market payout-method show')
    .action(
      verb(async (_options, command: Command) =>
        flat(await connectPerson(command.optsWithGlobals()).call<PayoutMethod>('GET', METHOD_PATH)),
      ),
    );

  method
    .command('set')
    .argument('<method>', 'ach, swift, upi or usdc')
    .argument('<details>', '@file, or - for standard input: a JSON object')
    .description('says where your money is to go, from the next payout on')
    .addHelpText(
      'after',
      `
ach:    account_holder_name, routing_number, account_number, account_type (checking, savings)
swift:  account_holder_name, bic, iban or account_number, town, country
upi:    account_holder_name, vpa
usdc:   address, network (base)

In a file, because what stands in a command is seen by others of this machine and kept by the shell.

Examples:
  market payout-method set ach @bank.json
  pass bank | market payout-method set swift -`,
    )
    .action(
      verb(async (name: string, details: string, _options, command: Command) => {
        const body = { method: name, details: await readJsonArgument(details, 'the details') };
        return flat(
          await connectPerson(command.optsWithGlobals()).call<PayoutMethod>('PUT', METHOD_PATH, body),
        );
      }),
    );
}

function addForm(form: Command): void {
  form
    .command('show')
    .description('your tax form, masked, and what became of it')
    .addHelpText('after', '\nExample:\n  market tax-form show')
    .action(
      verb(async (_options, command: Command) =>
        flat(await connectPerson(command.optsWithGlobals()).call<TaxForm>('GET', FORM_PATH)),
      ),
    );

  form
    .command('set')
    .argument('<form>', '@file, or - for standard input: {"kind", "legal_name", "country", "tax_id"}')
    .description('hands in your tax form: w9, w8ben or w8bene')
    .addHelpText('after', '\nExample:\n  market tax-form set @form.json')
    .action(
      verb(async (text: string, _options, command: Command) => {
        const body = await readJsonArgument(text, 'the form');
        return flat(await connectPerson(command.optsWithGlobals()).call<TaxForm>('PUT', FORM_PATH, body));
      }),
    );

  form
    .command('review')
    .argument('<user>', 'the developer, usr_…')
    .argument('<decision>', 'accepted or rejected')
    .requiredOption('--reason <text>', 'for the log')
    .description("decides about a developer's newest form; for operators")
    .addHelpText('after', '\nExample:\n  market tax-form review usr_… accepted --reason "Complete."')
    .action(
      verb(async (userId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<ReviewOptions>();
        const path = `/v1/operator/tax-forms/${encodeURIComponent(userId)}/review`;
        const body = { decision, reason: options.reason };
        return flat(await connectPerson(options).call<TaxForm>('POST', path, body));
      }),
    );
}

/** The details among the other fields, as people read them. */
function flat(record: PayoutMethod | TaxForm) {
  const { details, ...rest } = record;
  return { text: fieldsText({ ...rest, ...details }), json: record };
}
