import { type BilledTo, billedToLines } from '../../domain/billing/billing-details';
import { type MonthSums, statementName } from '../../domain/billing/statement';
import { dayOf } from '../../domain/instant';
import { minorText, unitsToCredits } from '../../domain/ledger/money';
import type { DocumentPart, PrintedDocument } from '../../kit/documents/document';
import { writeCsv } from '../../kit/rails/csv';
import type { StatementPaper } from '../../stores/billing/statements';

export interface AccountStatement extends MonthSums {
  month: string;
  from: Date;
  until: Date;
  isClosed: boolean;
  closingUnits: number;
  /** The invoices and notes of the month, the oldest first. */
  papers: StatementPaper[];
  /** There are more of them than are listed. */
  isCut: boolean;
}

const credits = (units: number) => unitsToCredits(units).toFixed(2);

/** The statement of a month as a document. */
export function accountStatement(
  statement: AccountStatement,
  { userId, billedTo, issuer }: { userId: string; billedTo: BilledTo; issuer: readonly string[] },
): PrintedDocument {
  const { month, from, until, lines, papers } = statement;
  const right = { share: 2, right: true };
  const listed: DocumentPart = {
    kind: 'table',
    columns: [
      { title: 'Document', share: 4 },
      { title: 'Issued', share: 2 },
      { title: 'Tax', ...right },
      { title: 'Amount', ...right },
      { title: 'Credits', ...right },
    ],
    rows: papers.map((paper) => [
      paper.number,
      dayOf(paper.issuedAt),
      minorText(paper.taxMinor),
      `${paper.currency} ${minorText(paper.amountMinor)}`,
      credits(paper.units),
    ]),
  };
  return {
    title: `Statement ${month}`,
    issuer,
    at: until,
    parts: [
      {
        kind: 'facts',
        rows: [['Period', `${dayOf(from)} to ${dayOf(new Date(until.getTime() - 1))} (UTC)`]],
      },
      { kind: 'lines', title: 'Account', lines: billedToLines(billedTo, userId) },
      {
        kind: 'table',
        columns: [
          { title: 'Movement', share: 6 },
          { title: 'Number', ...right },
          { title: 'Credits', ...right },
        ],
        rows: [
          ['Opening balance', '', credits(statement.openingUnits)],
          ...lines.map(({ type, count, units }) => [statementName(type), String(count), credits(units)]),
        ],
        total: ['Closing balance', '', credits(statement.closingUnits)],
      },
      ...(papers.length > 0 ? [listed] : []),
      ...(statement.isCut
        ? [{ kind: 'text', text: 'There are further documents: see the list.' } as const]
        : []),
      ...(statement.isClosed
        ? []
        : [{ kind: 'text', text: 'The month is not closed.', strong: true } as const]),
      { kind: 'text', text: 'Balances include the credits that are held for running calls.' },
    ],
  };
}

/** The statement of a month for spreadsheets: the balances with what moved between them, then the documents. */
export function accountStatementCsv({
  month,
  openingUnits,
  closingUnits,
  lines,
  papers,
}: AccountStatement): string {
  const empty = ['', '', '', '', ''];
  return writeCsv([
    ['month', 'type', 'count', 'credits', 'document', 'issued', 'amount', 'tax', 'currency'],
    [month, 'opening_balance', '', unitsToCredits(openingUnits), ...empty],
    ...lines.map(({ type, count, units }) => [month, type, count, unitsToCredits(units), ...empty]),
    [month, 'closing_balance', '', unitsToCredits(closingUnits), ...empty],
    ...papers.map((paper) => [
      month,
      paper.kind,
      '',
      unitsToCredits(paper.units),
      paper.number,
      paper.issuedAt.toISOString(),
      minorText(paper.amountMinor),
      minorText(paper.taxMinor),
      paper.currency,
    ]),
  ]);
}
