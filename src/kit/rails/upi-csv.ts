/**
 * Writes the CSV that Indian banks accept for bulk UPI payouts in rupees. The last line is the total. No cell is
 * altered: an address with a character in front is the address of another payee. What spreadsheets evaluate is refused
 * on entry.
 */
import { minorText } from '../../domain/ledger/money';
import { writeCsv } from './csv';
import { bankName, firstDay, type RailBatch, totalMinor } from './rail';

const HEADER = [
  'Sr No',
  'Debit Account',
  'Beneficiary Name',
  'Beneficiary VPA',
  'Amount',
  'Currency',
  'Payment Date',
  'Reference',
  'Remarks',
];

/** Returns the bytes of the file. */
export function writeUpiCsv(batch: RailBatch): Buffer {
  const { payer, payees, fileId } = batch;
  const [year, month, day] = firstDay(batch).toISOString().slice(0, 10).split('-');
  const date = `${day}/${month}/${year}`;
  const rows = payees.map(({ payoutId, amountMinor, details }, index) => [
    index + 1,
    payer.accountNumber,
    bankName(details['account_holder_name'] ?? '', 70),
    details['vpa'] ?? '',
    minorText(amountMinor),
    'INR',
    date,
    payoutId,
    'Payout',
  ]);
  const total = [
    'TOTAL',
    '',
    '',
    String(payees.length),
    minorText(totalMinor(payees)),
    'INR',
    date,
    fileId,
    '',
  ];
  return Buffer.from(writeCsv([HEADER, ...rows, total], { exact: true }), 'utf8');
}
