import type {
  ReportedReversal,
  ReportingProvider,
  ReversalKind,
  ReversalState,
} from '../../domain/billing/payment';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';
import type { PaymentEventRow } from './payments';

/** Refunds and chargebacks of payments (`migrations/0008_billing.sql`). */
export interface ReversalRow {
  reversalId: string;
  provider: ReportingProvider;
  kind: ReversalKind;
  state: ReversalState;
  paymentId: string;
  amountMinor: number;
  currency: string;
  /** The user whose credits were taken back; null before. */
  userId: string | null;
  reversedUnits: number;
  owedUnits: number;
  receivedAt: Date;
  takenAt: Date | null;
}

type ReversalOutcome = ReversalState | 'unchanged' | 'mismatched';

/** Applies a step of a refund or a dispute once, in a single statement. */
export async function recordReversal(
  db: Db,
  { provider, eventId, type }: PaymentEventRow,
  { id, kind, step, paymentId, amountMinor, currency }: ReportedReversal,
): Promise<ReversalOutcome> {
  const result = await db.query<{ outcome: ReversalOutcome }>(
    'SELECT payment_reverse($1, $2, $3, $4, $5, $6, $7, $8, $9) AS outcome',
    [provider, eventId, type, id, kind, step, paymentId, amountMinor, currency],
  );
  return onlyRow(result).outcome;
}

/** Returns what a user owes for reversed payments, in units. */
export async function readDebtUnits(db: Db, userId: string): Promise<number> {
  const result = await db.query<{ owed: string }>(
    `SELECT coalesce(sum(owed_units), 0) AS owed FROM payment_reversals WHERE user_id = $1 AND owed_units > 0`,
    [userId],
  );
  return unitsFromDatabase(onlyRow(result).owed);
}

interface RawReversal {
  reversal_id: string;
  provider: ReportingProvider;
  kind: ReversalKind;
  state: ReversalState;
  payment_id: string;
  amount_minor: string;
  currency: string;
  user_id: string | null;
  reversed_units: string;
  owed_units: string;
  received_at: Date;
  taken_at: Date | null;
}

export interface ReversalFilter {
  owed: boolean;
  beforeId?: string | undefined;
  limit: number;
}

/** Lists reversals, most recently received first, with the total; `owed`: only those with a debt. */
export async function listReversals(
  db: Db,
  filter: ReversalFilter,
): Promise<{ rows: ReversalRow[]; total: number }> {
  const owed = filter.owed ? 'owed_units > 0' : 'true';
  const found = await db.query<RawReversal>(
    `SELECT * FROM payment_reversals WHERE ${owed}
       AND ($1::text IS NULL OR (received_at, reversal_id) < (
         SELECT b.received_at, b.reversal_id FROM payment_reversals b WHERE b.reversal_id = $1))
     ORDER BY received_at DESC, reversal_id DESC LIMIT $2`,
    [filter.beforeId ?? null, filter.limit],
  );
  const list = {
    from: 'payment_reversals',
    key: 'true',
    filter: owed,
    order: 'received_at DESC, reversal_id DESC',
  };
  return { rows: found.rows.map(toReversal), total: await countRows(db, list, []) };
}

function toReversal(row: RawReversal): ReversalRow {
  return {
    reversalId: row.reversal_id,
    provider: row.provider,
    kind: row.kind,
    state: row.state,
    paymentId: row.payment_id,
    amountMinor: unitsFromDatabase(row.amount_minor),
    currency: row.currency,
    userId: row.user_id,
    reversedUnits: unitsFromDatabase(row.reversed_units),
    owedUnits: unitsFromDatabase(row.owed_units),
    receivedAt: row.received_at,
    takenAt: row.taken_at,
  };
}
