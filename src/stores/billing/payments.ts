import type { TopupTerms } from '../../domain/billing/tax';
import type {
  PaymentState,
  QuarantineReason,
  ReportedPayment,
  ReportingProvider,
} from '../../domain/billing/payment';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** Payments reported by a payment provider (`migrations/0008_billing.sql`). */
export interface PaymentRow {
  paymentId: string;
  provider: ReportingProvider;
  /** The reference in the provider's report. It should name a top-up. */
  reference: string | null;
  amountMinor: number;
  currency: string;
  /** The top-up with this reference; null if there is none. */
  topupId: string | null;
  /** Owner of the top-up. */
  userId: string | null;
  /** Amount of the top-up, in minor units, its currency, and what it credits. */
  expectedMinor: number | null;
  expectedCurrency: string | null;
  expectedUnits: number | null;
  state: PaymentState;
  quarantineReason: QuarantineReason | null;
  creditedTopupId: string | null;
  receivedAt: Date;
  resolvedAt: Date | null;
}

export interface PaymentEventRow {
  provider: ReportingProvider;
  eventId: string;
  type: string;
}

/** Credits the top-up of a payment once, or quarantines the payment, in a single statement. */
export async function recordPayment(
  db: Db,
  { provider, eventId, type }: PaymentEventRow,
  payment: ReportedPayment,
): Promise<'credited' | 'quarantined' | 'repeated'> {
  const { rows } = await db.query<{ outcome: 'credited' | 'quarantined' | 'repeated' }>(
    'SELECT payment_record($1, $2, $3, $4, $5, $6, $7) AS outcome',
    [provider, eventId, type, payment.id, payment.reference, payment.amountMinor, payment.currency],
  );
  return onlyOutcome(rows);
}

/** Fails a pending top-up whose payment link has expired or was cancelled. */
export async function closeLink(
  db: Db,
  { provider, eventId, type }: PaymentEventRow,
  reference: string | null,
): Promise<'failed' | 'unchanged'> {
  const { rows } = await db.query<{ outcome: 'failed' | 'unchanged' }>(
    'SELECT payment_link_over($1, $2, $3, $4) AS outcome',
    [provider, eventId, type, reference],
  );
  return onlyOutcome(rows);
}

/** Fails a pending automatic top-up whose payment was refused. Others are paid on a page, where payers try again. */
export async function declinePayment(
  db: Db,
  { provider, eventId, type }: PaymentEventRow,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  await db.query('SELECT payment_declined($1, $2, $3, $4, $5)', [provider, eventId, type, reference, reason]);
}

/** Records an event that moves no money. */
export async function noteEvent(db: Db, { provider, eventId, type }: PaymentEventRow): Promise<void> {
  await db.query('SELECT payment_event_is_new($1, $2, $3, NULL)', [provider, eventId, type]);
}

export interface PaymentResolution {
  paymentId: string;
  /** The user to credit and the new top-up for it; null if the payment was refunded at the provider. */
  credit: {
    userId: string;
    topupId: string;
    units: number;
    taxMinor: number;
    terms: TopupTerms | null;
  } | null;
  traceId: string | null;
}

export async function resolvePayment(
  tx: Db,
  { paymentId, credit, traceId }: PaymentResolution,
): Promise<'resolved' | 'no_payment' | 'not_quarantined'> {
  const { rows } = await tx.query<{ outcome: 'resolved' | 'no_payment' | 'not_quarantined' }>(
    'SELECT payment_resolve($1, $2, $3, $4, $5, $6, $7) AS outcome',
    [
      paymentId,
      credit?.userId ?? null,
      credit?.topupId ?? null,
      credit?.units ?? null,
      traceId,
      credit?.taxMinor ?? 0,
      credit?.terms ? JSON.stringify(credit.terms) : null,
    ],
  );
  return onlyOutcome(rows);
}

interface RawPayment {
  payment_id: string;
  provider: ReportingProvider;
  reference: string | null;
  amount_minor: string;
  currency: string;
  topup_id: string | null;
  user_id: string | null;
  expected_minor: string | null;
  expected_currency: string | null;
  expected_units: string | null;
  state: PaymentState;
  quarantine_reason: QuarantineReason | null;
  credited_topup_id: string | null;
  received_at: Date;
  resolved_at: Date | null;
}

const PAYMENT = `SELECT p.*, t.user_id, t.amount_minor AS expected_minor, t.currency AS expected_currency,
    t.amount_units AS expected_units
  FROM payments p LEFT JOIN topups t USING (topup_id)`;

export async function readPayment(db: Db, paymentId: string): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<RawPayment>(`${PAYMENT} WHERE p.payment_id = $1`, [paymentId]);
  return rows[0] && toPayment(rows[0]);
}

/** Lists payments, most recently received first, with the total of the filter. */
export async function listPayments(
  db: Db,
  filter: { state?: PaymentState | undefined; beforeId?: string | undefined; limit: number },
): Promise<{ rows: PaymentRow[]; total: number }> {
  const found = await db.query<RawPayment>(
    `${PAYMENT} WHERE ($1::text IS NULL OR p.state = $1)
       AND ($2::text IS NULL OR (p.received_at, p.payment_id) < (
         SELECT b.received_at, b.payment_id FROM payments b WHERE b.payment_id = $2))
     ORDER BY p.received_at DESC, p.payment_id DESC LIMIT $3`,
    [filter.state ?? null, filter.beforeId ?? null, filter.limit],
  );
  const list = {
    from: 'payments',
    key: 'true',
    filter: '($1::text IS NULL OR state = $1)',
    order: 'received_at DESC, payment_id DESC',
  };
  return { rows: found.rows.map(toPayment), total: await countRows(db, list, [filter.state ?? null]) };
}

function toPayment(row: RawPayment): PaymentRow {
  return {
    paymentId: row.payment_id,
    provider: row.provider,
    reference: row.reference,
    amountMinor: unitsFromDatabase(row.amount_minor),
    currency: row.currency,
    topupId: row.topup_id,
    userId: row.user_id,
    expectedMinor: row.expected_minor === null ? null : unitsFromDatabase(row.expected_minor),
    expectedCurrency: row.expected_currency,
    expectedUnits: row.expected_units === null ? null : unitsFromDatabase(row.expected_units),
    state: row.state,
    quarantineReason: row.quarantine_reason,
    creditedTopupId: row.credited_topup_id,
    receivedAt: row.received_at,
    resolvedAt: row.resolved_at,
  };
}

function onlyOutcome<Outcome>(rows: readonly { outcome: Outcome }[]): Outcome {
  if (!rows[0]) throw new Error('the SQL function returned no row');
  return rows[0].outcome;
}
