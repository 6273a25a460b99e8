/** Payouts and their statements, for developers and operators (contract, "Billing"). */
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import { RAILS } from '../../domain/payouts/rails';
import { writeCsv } from '../../kit/rails/csv';
import type { DocumentWriter } from '../../kit/documents/document-threads';
import type { Db } from '../../stores/db';
import {
  findLot,
  listCarryLines,
  listLotLines,
  type LotPosition,
  type StatementLine,
} from '../../stores/payouts/payout-statements';
import { listMaturity } from '../../stores/payouts/earning-days';
import { listPayoutMondays, readNames, readPayoutWeek } from '../../stores/payouts/payout-weeks';
import * as store from '../../stores/payouts/payouts';
import { statementDocument } from './statement-document';
import { readTransfers, type TransferRow } from '../../stores/payouts/payout-transfers';

/** Maximum number of statement lines in JSON. The files contain more. */
const JSON_LINES = 1_000;
/** Earnings that the CSV reads at once. */
const CSV_PAGE = 5_000;
/** More would keep the process busy for too long. */
const MOST_PDF_LINES = 20_000;

export interface PayoutView extends store.PayoutRow {
  /** The transfer of a USDC payout, once it is signed. */
  transfer?: TransferRow | undefined;
  /** In lists: it failed or rolled over, and no later payout took its amount along. */
  isRetriable?: boolean;
  /** In lists for operators. */
  developerName?: string | undefined;
}

/** A line of a statement with the position of the page that follows it. */
export type PlacedLine = StatementLine & { place: string };

export function createPayoutViews(deps: { pool: Db; documents: DocumentWriter; mostPdfLines?: number }) {
  const { pool, mostPdfLines = MOST_PDF_LINES } = deps;

  async function ownPayout(developerUserId: string, payoutId: string): Promise<store.PayoutRow> {
    const payout = await store.readPayout(pool, payoutId);
    if (payout?.developerUserId !== developerUserId) throw new MarketError('not_found');
    return payout;
  }

  return {
    async list(filter: store.PayoutFilter): Promise<{ rows: PayoutView[]; total: number }> {
      const { rows, total } = await store.listPayouts(pool, filter);
      const retriable = await store.readRetriable(pool, rows);
      const views = await withTransfers(pool, rows);
      return { rows: views.map((row) => ({ ...row, isRetriable: retriable.has(row.payoutId) })), total };
    },

    /** A list of payouts with the names of their developers. */
    async listWithNames(filter: store.PayoutFilter): Promise<{ rows: PayoutView[]; total: number }> {
      const { rows, total } = await this.list(filter);
      const names = await readNames(pool, [...new Set(rows.map(({ developerUserId }) => developerUserId))]);
      return {
        rows: rows.map((row) => ({ ...row, developerName: names.get(row.developerUserId) })),
        total,
      };
    },

    /** The totals of the payouts of a Monday, and the latest Mondays. */
    async week(asOf: Date) {
      const [groups, mondays] = await Promise.all([readPayoutWeek(pool, asOf), listPayoutMondays(pool)]);
      return { groups, mondays };
    },

    /** A payout of the developer with its statement. Throws `not_found`. */
    async get(developerUserId: string, payoutId: string) {
      const payout = await ownPayout(developerUserId, payoutId);
      const [view = payout] = await withTransfers(pool, [payout]);
      return { payout: view, ...(await firstLines(pool, payout, JSON_LINES)) };
    },

    /** A page of the statement of a payout, in the order of `get`. Throws `not_found`. */
    async lines(
      developerUserId: string,
      payoutId: string,
      page: { limit: number; after?: string | undefined },
    ): Promise<{ rows: PlacedLine[]; total: number }> {
      return linesOf(pool, await ownPayout(developerUserId, payoutId), page);
    },

    /** Lists unpaid earnings by the day on which they mature. */
    maturity: (developerUserId: string, page: { limit: number; afterDate?: string | undefined }) =>
      listMaturity(pool, developerUserId, page),

    /** The statement as CSV, page by page. Throws `not_found`. */
    async csv(developerUserId: string, payoutId: string): Promise<AsyncGenerator<string>> {
      return csvOf(pool, await ownPayout(developerUserId, payoutId));
    },

    /** The statement as PDF. Throws `not_found`. */
    async pdf(developerUserId: string, payoutId: string): Promise<Buffer> {
      const payout = await ownPayout(developerUserId, payoutId);
      const { lines, total } = await firstLines(pool, payout, mostPdfLines);
      const names = await readNames(pool, [developerUserId]);
      const document = statementDocument({ payout, lines, total, paidTo: names.get(developerUserId) });
      return deps.documents.pdf(developerUserId, document);
    },
  };
}

export type PayoutViews = ReturnType<typeof createPayoutViews>;

async function withTransfers(pool: Db, rows: readonly store.PayoutRow[]): Promise<PayoutView[]> {
  const transfers = await readTransfers(pool, [
    ...new Set(rows.flatMap(({ transferId }) => transferId ?? [])),
  ]);
  return rows.map((row) => ({
    ...row,
    transfer: transfers.find(({ transferId }) => transferId === row.transferId),
  }));
}

const credits = (units: number) => unitsToCredits(units).toFixed(2);

const CSV_HEADER = [
  'type',
  'invocation_id',
  'agent_id',
  'payout_id',
  'gross_credits',
  'fee_credits',
  'taken_back_credits',
  'credits',
  'at',
  'processing_time',
];

function csvLine(line: StatementLine): (string | number)[] {
  return [
    line.type,
    line.invocationId ?? '',
    line.agentId ?? '',
    line.payoutId ?? '',
    credits(line.grossUnits),
    credits(line.feeUnits),
    credits(line.recoveredUnits),
    unitsToCredits(line.units),
    line.at.toISOString(),
    '',
  ];
}

/** The first lines of a statement, and how many there are. */
async function firstLines(
  pool: Db,
  payout: store.PayoutRow,
  limit: number,
): Promise<{ lines: StatementLine[]; total: number }> {
  const { lines } = await listLotLines(pool, payout, { limit });
  const carries = await listCarryLines(pool, payout.payoutId);
  return { lines: [...lines, ...carries].slice(0, limit), total: payout.lots + carries.length };
}

const CARRY = 'carry_';

async function linesOf(
  pool: Db,
  payout: store.PayoutRow,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ rows: PlacedLine[]; total: number }> {
  const carries = (await listCarryLines(pool, payout.payoutId)).map((line, index) => ({
    ...line,
    place: `${CARRY}${index}`,
  }));
  const total = payout.lots + carries.length;
  if (after?.startsWith(CARRY)) {
    const next = Number(after.slice(CARRY.length)) + 1;
    return { rows: carries.slice(next, next + limit), total };
  }
  const lot = after === undefined ? undefined : await findLot(pool, payout, after);
  if (after !== undefined && !lot) return { rows: [], total };
  const { lines } = await listLotLines(pool, payout, { limit, after: lot });
  const lots = lines.map((line) => ({ ...line, place: line.invocationId ?? '' }));
  return { rows: [...lots, ...carries].slice(0, limit), total };
}

async function* csvOf(pool: Db, payout: store.PayoutRow): AsyncGenerator<string> {
  yield writeCsv([CSV_HEADER]);
  let total = 0;
  const part = (lines: readonly StatementLine[]) => {
    total += lines.reduce((sum, line) => sum + line.units, 0);
    return writeCsv(lines.map(csvLine));
  };
  let after: LotPosition | undefined;
  do {
    const page = await listLotLines(pool, payout, { limit: CSV_PAGE, after });
    ({ after } = page);
    if (page.lines.length > 0) yield part(page.lines);
  } while (after);
  const carries = await listCarryLines(pool, payout.payoutId);
  if (carries.length > 0) yield part(carries);
  yield writeCsv([csvTotal(payout, total)]);
}

function csvTotal(payout: store.PayoutRow, total: number): (string | number)[] {
  const { payoutId, asOf, method } = payout;
  const time = method === null ? '' : RAILS[method].processingTime;
  return ['total', '', '', payoutId, '', '', '', unitsToCredits(total), asOf.toISOString(), time];
}
