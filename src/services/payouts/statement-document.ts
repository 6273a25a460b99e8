import { dayOf } from '../../domain/instant';
import { minorText, unitsToCredits } from '../../domain/ledger/money';
import { RATE_SPREAD_PERCENT } from '../../domain/payouts/exchange-rate';
import { RAILS } from '../../domain/payouts/rails';
import type { DocumentPart, PrintedDocument } from '../../kit/documents/document';
import type { StatementLine } from '../../stores/payouts/payout-statements';
import type { PayoutRow } from '../../stores/payouts/payouts';

interface Statement {
  payout: PayoutRow;
  lines: readonly StatementLine[];
  /** All lines, of which `lines` are the first. */
  total: number;
  /** The name of the developer. */
  paidTo: string | undefined;
}

const credits = (units: number) => unitsToCredits(units).toFixed(2);

/** What the last line of a statement says of the amount. */
const ENDS: Record<PayoutRow['status'], string> = {
  reserving: 'To be paid',
  pending: 'To be paid',
  processing: 'To be paid',
  paid: 'Paid',
  returned: 'Paid, and sent back by the bank',
  failed: 'Not paid',
  rolled_over: 'Not paid',
};

/** The statement of a payout. */
export function statementDocument({ payout, lines, total, paidTo }: Statement): PrintedDocument {
  const left = total - lines.length;
  const rest: DocumentPart = { kind: 'text', text: `and ${left} further lines: see the CSV` };
  return {
    title: `Payout statement ${dayOf(payout.asOf)}`,
    at: payout.completedAt ?? payout.initiatedAt,
    parts: [
      { kind: 'facts', rows: factsOf(payout, paidTo) },
      {
        kind: 'table',
        columns: [
          { title: 'Day (UTC)', share: 2 },
          { title: 'Call or payout', share: 6 },
          { title: 'Credits', share: 2, right: true },
        ],
        rows: lines.map((line) => [
          dayOf(line.at),
          line.invocationId ?? `${line.type} ${line.payoutId}`,
          credits(line.units),
        ]),
      },
      ...(left > 0 ? [rest] : []),
      {
        kind: 'text',
        text: `${ENDS[payout.status]}: ${credits(payout.amountUnits)} credits`,
        strong: true,
      },
    ],
  };
}

function factsOf(payout: PayoutRow, paidTo: string | undefined): [string, string][] {
  const { method, rate, amountMinor, currency, status, reason } = payout;
  const facts: [string, string][] = [['Payout', payout.payoutId]];
  if (paidTo !== undefined) facts.push(['Developer', paidTo]);
  facts.push(
    ['Period', `${dayOf(payout.periodStart)} to ${dayOf(payout.asOf)} (UTC)`],
    ['Status', reason === null ? status : `${status} (${reason})`],
    ['Credits', credits(payout.amountUnits)],
  );
  if (amountMinor !== null) facts.push(['Amount', `${amountText(amountMinor, currency ?? '')} by ${method}`]);
  if (method !== null) facts.push(['Arrives', `${RAILS[method].processingTime} after the Monday`]);
  if (rate !== null)
    facts.push([
      'Rate',
      `${rate} (spot ${payout.spotRate} of ${payout.rateAt?.toISOString()}, less ${RATE_SPREAD_PERCENT}%)`,
    ]);
  return facts;
}

const USDC_DIGITS = 6;
/** An amount in the currency: 123456 of INR → `INR 1234.56`. */
function amountText(minor: number, currency: string): string {
  const digits = currency === 'USDC' ? USDC_DIGITS : 2;
  return `${currency} ${minorText(minor, digits)}`;
}
