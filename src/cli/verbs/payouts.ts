import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { fieldsText, recordResult } from '../terminal/pages';
import { saveVerb } from '../terminal/save-file';
import { tableText } from '../terminal/terminal-text';
import { addList } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { LISTS } from '../rows/lists';

type Statement = Schema<'GetPayoutResponse'>;

interface FileOptions extends GlobalOptions {
  format: string;
  output?: string;
}

const OWN = '/v1/billing/developer/payouts';
const ALL = '/v1/operator/payouts';
const below = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

/** `market payouts …`, for developers and operators (docs/payouts.md). */
export function payoutVerbs(program: Command): void {
  const payouts = program.command('payouts').description('your payouts, and why one is held back');
  addList(payouts, 'list', CASE_LISTS['payouts list']);
  addList(payouts, 'earnings', LISTS['payouts earnings']);
  addShow(payouts);
  addStatement(payouts);
  addRetry(payouts);
  addSettle(payouts);
  addReturn(payouts);
  addFile(payouts);
}

function addShow(payouts: Command): void {
  payouts
    .command('show')
    .argument('<payout>', 'payout id, pay_…')
    .description('prints one of your payouts with its statement, line by line')
    .addHelpText('after', '\nExample:\n  market payouts show pay_…')
    .action(
      verb(async (payoutId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const payout = await connect(options).call<Statement>('GET', below(OWN, payoutId));
        const { statement, ...rest } = payout;
        const lines = statement.lines.map((line) => [
          line.at,
          line.type,
          line.credits.toFixed(2),
          line.invocation_id ?? line.payout_id ?? '-',
        ]);
        const more = statement.total_lines - statement.lines.length;
        const end = more > 0 ? `\n${more} more lines: market payouts statement ${payoutId}` : '';
        const table = tableText([['at', 'type', 'credits', 'reference'], ...lines]);
        return { text: `${fieldsText(rest)}\n\n${table}${end}`, json: payout };
      }),
    );
}

function addStatement(payouts: Command): void {
  payouts
    .command('statement')
    .argument('<payout>', 'payout id, pay_…')
    .option('--format <format>', 'csv or pdf', 'csv')
    .option('--output <file>', 'default: statement-<payout>.<format> in the current folder')
    .description('downloads the complete statement of a payout')
    .addHelpText('after', '\nExample:\n  market payouts statement pay_… --format pdf --output november.pdf')
    .action(
      verb(async (payoutId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<FileOptions>();
        const { format } = options;
        if (format !== 'csv' && format !== 'pdf') throw usageFailure('--format must be csv or pdf');
        if (!/^pay_[0-9a-f]{32}$/.test(payoutId))
          throw usageFailure(`${payoutId} is not a payout id (pay_…)`);
        const file = options.output ?? `statement-${payoutId}.${format}`;
        return saveVerb(connect(options), `${below(OWN, payoutId)}/statement.${format}`, file);
      }),
    );
}

function addRetry(payouts: Command): void {
  payouts
    .command('retry')
    .argument('<payout>', 'id of a payout that failed or rolled over')
    .option('--reason <text>', 'reason, kept in the audit log')
    .description('retries a payout without waiting for Monday; for operators')
    .addHelpText('after', '\nExample:\n  market payouts retry pay_… --reason "The account was corrected."')
    .action(
      verb(async (payoutId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { reason?: string }>();
        const body = options.reason === undefined ? {} : { reason: options.reason };
        const path = `${below(ALL, payoutId)}/retry`;
        return recordResult(await connectPerson(options).call<object>('POST', path, body));
      }),
    );
}

function addSettle(payouts: Command): void {
  payouts
    .command('settle')
    .argument('<payout>', 'id of a payout that is in a payment file, or was paid by one')
    .argument('<result>', 'paid or returned')
    .requiredOption('--reason <text>', "the bank's reason, such as R03")
    .description('records how the bank settled a payout; for operators')
    .addHelpText('after', '\nExample:\n  market payouts settle pay_… returned --reason "R03 no account"')
    .action(
      verb(async (payoutId: string, result: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { reason: string }>();
        const body = { result, reason: options.reason };
        const path = `${below(ALL, payoutId)}/settle`;
        return recordResult(await connectPerson(options).call<object>('POST', path, body));
      }),
    );
}

function addReturn(payouts: Command): void {
  payouts
    .command('return')
    .argument('<payout>', 'id of a payout that is in no file and no transfer')
    .requiredOption('--reason <text>', 'reason, shown to the developer and kept in the audit log')
    .description('gives a reserved payout back to its developer; for operators')
    .addHelpText('after', '\nExample:\n  market payouts return pay_… --reason "The account is disputed."')
    .action(
      verb(async (payoutId: string, _options, command: Command) => {
        const { reason, ...options } = command.optsWithGlobals<GlobalOptions & { reason: string }>();
        const path = `${below(ALL, payoutId)}/return`;
        return recordResult(await connectPerson(options).call<object>('POST', path, { reason }));
      }),
    );
}

function addFile(payouts: Command): void {
  payouts
    .command('file')
    .argument('<file>', 'file id, such as ach-20261123-0 (payouts list --all --json: file_id)')
    .requiredOption('--output <file>', 'path to write to')
    .description('downloads a payment file for the bank; for operators')
    .addHelpText('after', '\nExample:\n  market payouts file swift-20261123-0 --output swift.xml')
    .action(
      verb(async (fileId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { output: string }>();
        return saveVerb(connectPerson(options), below('/v1/operator/payout-files', fileId), options.output);
      }),
    );
}
