/**
 * Writes a NACHA file of PPD credits: lines of 94 characters, blocks of ten lines, one batch. The file is balanced,
 * as banks require of originators: a debit of the total from the platform's account offsets the credits.
 */
import { bankingDayAfter, bankingDayFrom } from './banking-days';
import { bankText } from '../../domain/payouts/bank-text';
import { bankName, firstDay, type RailBatch, type RailPayee, totalMinor } from './rail';

const LINE = 94;
const BLOCK_LINES = 10;
const MAX_AMOUNT = 9_999_999_999;
const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** Service class of a balanced batch: debits and credits. */
const MIXED = '200';
const CREDIT = { checking: '22', savings: '32' } as const;
const DEBIT_CHECKING = '27';

const left = (value: string, length: number) => bankText(value, length).padEnd(length, ' ');
const number = (value: number, length: number) => {
  const digits = String(value);
  if (digits.length > length) throw new RangeError(`${value} does not fit ${length} digits`);
  return digits.padStart(length, '0');
};

/** Returns the bytes of the file. Throws `RangeError` for amounts that the format cannot represent. */
export function writeNacha(batch: RailBatch): Buffer {
  const odfi = batch.payer.routingNumber.slice(0, 8);
  const credits = batch.payees.map((payee, index) => creditLine(payee, odfi, index + 1));
  const total = totalMinor(batch.payees);
  const routings = [
    ...batch.payees.map(({ details }) => details['routing_number'] ?? ''),
    batch.payer.routingNumber,
  ];
  // The entry hash is the sum of the first eight digits of each routing number, truncated to its last ten digits.
  const hash = routings.reduce((sum, routing) => (sum + Number(routing.slice(0, 8))) % 10_000_000_000, 0);
  const entries = [...credits, offsetLine(batch, total, odfi)];
  const body = [
    fileHeader(batch),
    batchHeader(batch, odfi),
    ...entries,
    batchControl(batch, entries.length, hash, total, odfi),
  ];
  const blocks = Math.ceil((body.length + 1) / BLOCK_LINES);
  const control =
    '9' +
    number(1, 6) +
    number(blocks, 6) +
    number(entries.length, 8) +
    number(hash, 10) +
    number(total, 12) +
    number(total, 12) +
    ' '.repeat(39);
  const lines = [...body, control];
  while (lines.length < blocks * BLOCK_LINES) lines.push('9'.repeat(LINE));
  const bad = lines.find((line) => line.length !== LINE);
  if (bad !== undefined) throw new RangeError(`a line has ${bad.length} characters instead of ${LINE}`);
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1');
}

/** `YYMMDD` in UTC. */
const day = (date: Date) => date.toISOString().slice(2, 10).replaceAll('-', '');

function fileHeader({ payer, asOf, attempt }: RailBatch): string {
  // Files of one day differ in their modifier, and in their minute once all modifiers are used.
  const minute = Math.floor(attempt / MODIFIERS.length);
  const createdAt = new Date(asOf.getTime() + minute * 60_000);
  const time = createdAt.toISOString().slice(11, 16).replace(':', '');
  const modifier = MODIFIERS[attempt % MODIFIERS.length] ?? '';
  return (
    '101' +
    ` ${payer.routingNumber}` +
    left(payer.companyId, 10) +
    day(asOf) +
    time +
    modifier +
    '094' +
    '10' +
    '1' +
    left(payer.bankName, 23) +
    left(payer.companyName, 23) +
    ' '.repeat(8)
  );
}

function batchHeader(batch: RailBatch, odfi: string): string {
  const { payer, asOf } = batch;
  return (
    '5' +
    MIXED +
    left(payer.companyName, 16) +
    ' '.repeat(20) +
    left(payer.companyId, 10) +
    'PPD' +
    left('PAYOUT', 10) +
    day(asOf) +
    effectiveDay(firstDay(batch)) +
    '   ' +
    '1' +
    odfi +
    number(1, 7)
  );
}

function creditLine({ payoutId, amountMinor, details }: RailPayee, odfi: string, at: number): string {
  const type = details['account_type'] === 'savings' ? 'savings' : 'checking';
  return (
    '6' +
    CREDIT[type] +
    (details['routing_number'] ?? '') +
    left(details['account_number'] ?? '', 17) +
    amount(amountMinor) +
    left(payoutId.slice(-15), 15) +
    left(bankName(details['account_holder_name'] ?? '', 22), 22) +
    '  ' +
    '0' +
    odfi +
    number(at, 7)
  );
}

/** The offsetting debit of the platform's account. */
function offsetLine({ payer, payees }: RailBatch, total: number, odfi: string): string {
  return (
    '6' +
    DEBIT_CHECKING +
    payer.routingNumber +
    left(payer.accountNumber, 17) +
    amount(total) +
    left('OFFSET', 15) +
    left(payer.companyName, 22) +
    '  ' +
    '0' +
    odfi +
    number(payees.length + 1, 7)
  );
}

function batchControl(
  { payer }: RailBatch,
  entries: number,
  hash: number,
  total: number,
  odfi: string,
): string {
  return (
    '8' +
    MIXED +
    number(entries, 6) +
    number(hash, 10) +
    number(total, 12) +
    number(total, 12) +
    left(payer.companyId, 10) +
    ' '.repeat(19) +
    ' '.repeat(6) +
    odfi +
    number(1, 7)
  );
}

function amount(minor: number): string {
  if (minor > MAX_AMOUNT)
    throw new RangeError(`${minor} cents exceed the maximum of one entry (${MAX_AMOUNT})`);
  return number(minor, 10);
}

/**
 * The effective entry date, on which the receiving banks post the file: the banking day after the one on which the
 * bank accepts it. The bank accepts it on the Monday, or on the next banking day.
 */
function effectiveDay(asOf: Date): string {
  return day(bankingDayAfter(bankingDayFrom(asOf)));
}
