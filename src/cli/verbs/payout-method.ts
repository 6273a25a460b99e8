import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { detailsText, PAYOUT_METHODS } from '../../domain/payouts/rails';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { CliFailure } from '../failure';
import { readJsonArgument } from '../terminal/json-argument';
import { fieldsText } from '../terminal/pages';
import { addList } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';

type PayoutMethod = Schema<'PayoutMethod'>;

type TaxForm = Schema<'TaxForm'>;

interface ReviewOptions extends GlobalOptions {
  reason: string;
}

const METHOD_PATH = '/v1/billing/developer/payout-method';
const FORM_PATH = '/v1/billing/developer/tax-form';

/** `market payout-method …` and `market tax-form …` (docs/payouts.md). */
export function payoutMethodVerbs(program: Command): void {
  addMethod(program.command('payout-method').description('where your payouts go; for developers'));
  addForm(program.command('tax-form').description('your tax form, and its review by operators'));
}

/** Reads what a developer has once. Throws `CliFailure` with `missing` if it was never set. */
async function own<T>(command: Command, path: string, missing: string): Promise<T> {
  try {
    return await connectPerson(command.optsWithGlobals()).call<T>('GET', path);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.json['code'] !== 'not_found') throw error;
    throw new CliFailure(`You have no ${missing}.`, error.exitCode, error.json);
  }
}

function addMethod(method: Command): void {
  method
    .command('show')
    .description('prints your payout method, masked')
    .addHelpText('after', '\nExample:\n  market payout-method show')
    .action(
      verb(async (_options, command: Command) =>
        flat(
          await own<PayoutMethod>(
            command,
            METHOD_PATH,
            'payout method: set one with market payout-method set',
          ),
        ),
      ),
    );

  method
    .command('set')
    .argument('<method>', `${PAYOUT_METHODS.slice(0, -1).join(', ')} or ${PAYOUT_METHODS.at(-1)}`)
    .argument('<details>', '@file, or - for standard input: a JSON object')
    .option('--totp <code>', 'a code of your authenticator app, if you have one')
    .description('sets where your money goes, from the next payout on')
    .addHelpText(
      'after',
      `
${PAYOUT_METHODS.map((name) => `${`${name}:`.padEnd(8)}${detailsText(name)}`).join('\n')}

Pass the details in a file: other users of this machine can read command lines, and shells store them.

Examples:
  market payout-method set ach @bank.json
  pass bank | market payout-method set swift -`,
    )
    .action(
      verb(async (name: string, details: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { totp?: string }>();
        const code = options.totp !== undefined && { totp_code: options.totp };
        const body = { method: name, details: await readJsonArgument(details, 'the details'), ...code };
        return flat(await connectPerson(options).call<PayoutMethod>('PUT', METHOD_PATH, body));
      }),
    );
}

function addForm(form: Command): void {
  form
    .command('show')
    .description('prints your tax form, masked, and its review status')
    .addHelpText('after', '\nExample:\n  market tax-form show')
    .action(
      verb(async (_options, command: Command) =>
        flat(await own<TaxForm>(command, FORM_PATH, 'tax form: submit one with market tax-form set')),
      ),
    );

  form
    .command('set')
    .argument(
      '<form>',
      '@file, or - for standard input: {"kind", "legal_name", "country", "tax_id", "address", "signed_by"}',
    )
    .description('submits your tax form: w9, w8ben or w8bene')
    .addHelpText('after', '\nExample:\n  market tax-form set @form.json')
    .action(
      verb(async (text: string, _options, command: Command) => {
        const body = await readJsonArgument(text, 'the form');
        return flat(await connectPerson(command.optsWithGlobals()).call<TaxForm>('PUT', FORM_PATH, body));
      }),
    );

  addList(form, 'list', CASE_LISTS['tax-form list']);

  form
    .command('review')
    .argument('<user>', 'the developer, usr_…')
    .argument('<decision>', 'accepted or rejected')
    .requiredOption('--reason <text>', 'reason, kept in the audit log')
    .description("accepts or rejects a developer's newest form; for operators")
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

/** Merges the details into the other fields, for people. */
function flat(record: PayoutMethod | TaxForm) {
  const { details, ...rest } = record;
  return { text: fieldsText({ ...rest, ...details }), json: record };
}
