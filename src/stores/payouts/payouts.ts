/** Payouts: queries, and calls of the SQL functions in `migrations/functions/payouts`. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { PayoutStatus } from '../../domain/payouts/payout';
import type { PayoutMethod } from '../../domain/payouts/rails';
import type { PayoutDestination } from '../../domain/payouts/transfer';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';

export interface PayoutRow {
  payoutId: string;
  developerUserId: string;
  asOf: Date;
  attempt: number;
  periodStart: Date;
  status: PayoutStatus;
  reason: string | null;
  method: PayoutMethod | null;
  methodId: string | null;
  lotsUnits: number;
  carriedUnits: number;
  amountUnits: number;
  remainderUnits: number;
  amountMinor: number | null;
  currency: string | null;
  /** Spot rate, and the rate after the spread, as decimal text. Null if no currency is exchanged. */
  spotRate: string | null;
  rate: string | null;
  rateAt: Date | null;
  fileId: string | null;
  /** For an on-chain address: the agents paid to it. Empty for the developer's default method. */
  payTo: string;
  transferId: string | null;
  /** Number of lots. They mature from `lotsFrom` to `lotsUntil`; null for none. */
  lots: number;
  lotsFrom: Date | null;
  lotsUntil: Date | null;
  initiatedAt: Date;
  completedAt: Date | null;
}

export interface ReserveRequest {
  destination: PayoutDestination;
  developerUserId: string;
  asOf: Date;
  attempt: number;
  /** Amount that may be paid in a calendar year without a tax form. */
  taxFreeUnits: number;
  rails: readonly PayoutMethod[];
  traceId: string;
  /** Lots per step. */
  chunkLots: number;
}

/**
 * Makes one step in reserving a developer's payout to one destination. The payout is `reserving` until the last step.
 * Returns undefined if there is nothing to pay.
 */
export async function reservePayout(db: Db, request: ReserveRequest): Promise<PayoutRow | undefined> {
  const { rows } = await db.query<RawPayout>({
    name: 'payout-reserve',
    text: 'SELECT * FROM payout_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    values: [
      request.developerUserId,
      request.asOf,
      request.attempt,
      request.taxFreeUnits,
      request.rails,
      request.traceId,
      request.destination.payTo,
      request.destination.agents,
      request.destination.addresses,
      request.chunkLots,
    ],
  });
  return rows[0] && toPayout(rows[0]);
}

/** Lists developers with something to pay at `asOf`, ordered by user id. */
export async function listCandidates(
  db: Db,
  { asOf, afterUserId, limit }: { asOf: Date; afterUserId: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'payout-candidates',
    text: `SELECT u.user_id FROM users u WHERE u.role = 'developer' AND u.user_id > $2 AND (
             EXISTS (SELECT FROM payout_unpaid_from(u.user_id) f, earnings e WHERE e.developer_user_id = u.user_id
                       AND (e.matures_at, e.invocation_id) > (f.matures_at, f.invocation_id) AND e.matures_at <= $1
                       AND e.payout_id IS NULL AND NOT e.dispute_open AND e.recovered_units < e.net_units)
             OR EXISTS (SELECT FROM earnings e WHERE e.developer_user_id = u.user_id AND e.late AND e.matures_at <= $1
                          AND e.payout_id IS NULL AND NOT e.dispute_open AND e.recovered_units < e.net_units)
             OR EXISTS (SELECT FROM payout_carries c JOIN payouts p USING (payout_id)
                       WHERE c.developer_user_id = u.user_id AND c.into_payout_id IS NULL AND p.as_of <= $1
                         AND c.recovered_units < c.amount_units)
             OR EXISTS (SELECT FROM payouts p WHERE p.developer_user_id = u.user_id AND p.status = 'reserving'
                          AND p.as_of = $1))
           ORDER BY u.user_id LIMIT $3`,
    values: [asOf, afterUserId, limit],
  });
  return rows.map((row) => row.user_id);
}

/** Settles payouts as paid or, with a reason, as returned. Returns how many were settled. */
export async function settlePayouts(
  db: Db,
  payoutIds: readonly string[],
  end: { paid: true; at: Date } | { paid: false; reason: string; at: Date },
): Promise<number> {
  const result = await db.query<{ ended: number }>('SELECT payout_settle($1, $2, $3, $4) AS ended', [
    payoutIds,
    end.paid,
    end.paid ? null : end.reason,
    end.at,
  ]);
  return onlyRow(result).ended;
}

/** Takes back a payout that was paid by a file. Returns false if it is in another state. */
export async function returnLate(db: Db, payoutId: string, reason: string): Promise<boolean> {
  const result = await db.query<{ returned: boolean }>(
    'SELECT payout_late_return($1, $2, now()) AS returned',
    [payoutId, reason],
  );
  return onlyRow(result).returned;
}

export async function readPayout(db: Db, payoutId: string): Promise<PayoutRow | undefined> {
  const { rows } = await db.query<RawPayout>('SELECT * FROM payouts WHERE payout_id = $1', [payoutId]);
  return rows[0] && toPayout(rows[0]);
}

export interface PayoutFilter {
  developerUserId?: string | undefined;
  status?: PayoutStatus | undefined;
  /** Only payouts of the run of this Monday. */
  asOf?: Date | undefined;
  /** Only payouts before this id. */
  beforeId?: string | undefined;
  limit: number;
}

/** Lists payouts, newest first, with the total of the filter. */
export async function listPayouts(
  db: Db,
  filter: PayoutFilter,
): Promise<{ rows: PayoutRow[]; total: number }> {
  const where =
    '($1::text IS NULL OR developer_user_id = $1) AND ($2::text IS NULL OR status = $2) AND ($3::timestamptz IS NULL OR as_of = $3)';
  const values = [filter.developerUserId ?? null, filter.status ?? null, filter.asOf ?? null];
  const { rows } = await db.query<RawPayout>(
    `SELECT * FROM payouts WHERE ${where} AND ($4::text IS NULL OR payout_id < $4) ORDER BY payout_id DESC LIMIT $5`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const ofWeek = filter.asOf === undefined ? '$1::text IS NULL' : 'as_of = $3';
  const key = filter.developerUserId === undefined ? ofWeek : 'developer_user_id = $1';
  const list = { from: 'payouts', key, filter: where, order: 'payout_id DESC' };
  return { rows: rows.map(toPayout), total: await countRows(db, list, values) };
}

/** Which of the payouts failed or rolled over and are the newest of their developer to their destination. */
export async function readRetriable(db: Db, payouts: readonly PayoutRow[]): Promise<ReadonlySet<string>> {
  const ended = payouts.filter(({ status }) => status === 'failed' || status === 'rolled_over');
  if (ended.length === 0) return new Set();
  const { rows } = await db.query<{ payout_id: string }>(
    // One lookup in the index for each payout. NOT EXISTS would be a join that reads all payouts of the developers.
    `SELECT p.payout_id FROM payouts p WHERE p.payout_id = ANY ($1) AND (
       SELECT later.payout_id FROM payouts later WHERE later.developer_user_id = p.developer_user_id
         AND later.payout_id > p.payout_id AND later.pay_to = p.pay_to ORDER BY later.payout_id LIMIT 1) IS NULL`,
    [ended.map(({ payoutId }) => payoutId)],
  );
  return new Set(rows.map((row) => row.payout_id));
}

export interface RawPayout {
  payout_id: string;
  developer_user_id: string;
  as_of: Date;
  attempt: number;
  period_start: Date;
  status: PayoutStatus;
  reason: string | null;
  method: PayoutMethod | null;
  method_id: string | null;
  lots_units: string;
  carried_units: string;
  amount_units: string;
  remainder_units: string;
  amount_minor: string | null;
  currency: string | null;
  spot_rate: string | null;
  rate: string | null;
  rate_at: Date | null;
  file_id: string | null;
  pay_to: string;
  transfer_id: string | null;
  lots: number;
  lots_from: Date | null;
  lots_until: Date | null;
  initiated_at: Date;
  completed_at: Date | null;
}

export function toPayout(row: RawPayout): PayoutRow {
  return {
    payoutId: row.payout_id,
    developerUserId: row.developer_user_id,
    asOf: row.as_of,
    attempt: row.attempt,
    periodStart: row.period_start,
    status: row.status,
    reason: row.reason,
    method: row.method,
    methodId: row.method_id,
    lotsUnits: unitsFromDatabase(row.lots_units),
    carriedUnits: unitsFromDatabase(row.carried_units),
    amountUnits: unitsFromDatabase(row.amount_units),
    remainderUnits: unitsFromDatabase(row.remainder_units),
    amountMinor: row.amount_minor === null ? null : unitsFromDatabase(row.amount_minor),
    currency: row.currency,
    spotRate: row.spot_rate,
    rate: row.rate,
    rateAt: row.rate_at,
    fileId: row.file_id,
    payTo: row.pay_to,
    transferId: row.transfer_id,
    lots: row.lots,
    lotsFrom: row.lots_from,
    lotsUntil: row.lots_until,
    initiatedAt: row.initiated_at,
    completedAt: row.completed_at,
  };
}
