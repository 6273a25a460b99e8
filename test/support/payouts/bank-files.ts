/** Bank files as a bank reads them: the payees, their amounts, and the total in the file. */
import type { FileMethod } from '../../../src/domain/payouts/rails';

export interface BankFile {
  /** In the order of the file. */
  credits: { reference: string; minor: number }[];
  /** The figures of its control record. */
  count: number;
  totalMinor: number;
}

export function readBankFile(method: FileMethod, bytes: Buffer): BankFile {
  return READERS[method](bytes.toString('utf8'));
}

const READERS: Record<FileMethod, (text: string) => BankFile> = {
  ach: readNacha,
  swift: readPain,
  upi: readUpi,
};

/** The reference is the end of the payout's id. */
function readNacha(text: string): BankFile {
  const lines = text.split('\n');
  const entries = lines.filter((line) => line.startsWith('6'));
  const credits = entries
    .filter((line) => ['22', '32'].includes(line.slice(1, 3)))
    .map((line) => ({ reference: line.slice(39, 54), minor: Number(line.slice(29, 39)) }));
  const control = lines.find((line) => line.startsWith('9') && !/^9+$/.test(line)) ?? '';
  // Counted with the debit that balances them.
  return { credits, count: Number(control.slice(13, 21)) - 1, totalMinor: Number(control.slice(43, 55)) };
}

function readPain(text: string): BankFile {
  const credits = [...text.matchAll(/<EndToEndId>(\w+)<.*?<InstdAmt Ccy="USD">([0-9.]+)</g)].map(
    ([, reference = '', amount]) => ({ reference, minor: minorOf(amount) }),
  );
  const [, count, total] = /<NbOfTxs>(\d+)<\/NbOfTxs><CtrlSum>([0-9.]+)</.exec(text) ?? [];
  return { credits, count: Number(count), totalMinor: minorOf(total) };
}

function readUpi(text: string): BankFile {
  const rows = text.trim().split('\r\n').slice(1);
  const total = rows.pop()?.split(',') ?? [];
  const credits = rows.map((row) => {
    const cells = row.split(',');
    return { reference: cells[7] ?? '', minor: minorOf(cells[4]) };
  });
  return { credits, count: Number(total[3]), totalMinor: minorOf(total[4]) };
}

/** Two decimals, exactly. */
function minorOf(amount = ''): number {
  return Number(amount.replace('.', ''));
}
