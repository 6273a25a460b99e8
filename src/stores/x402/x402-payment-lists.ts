/** Payments by x402 as operators read them (`migrations/0157_x402_lists.sql`). */
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import type { Db } from '../db';
import { countRows } from '../list-total';
import { PAYMENT_COLUMNS, type X402PaymentRow } from './x402-payments';
import type { X402State } from '../../domain/x402/payment-state';

/** A payment with what its call does not need. */
export interface ListedPayment extends X402PaymentRow {
  amountUnits: number;
  identifier: string | null;
  dueAt: Date | null;
  endedAt: Date | null;
}

/** A payment with the call that it pays, or paid last. */
export interface PaymentWithCall extends ListedPayment {
  callStatus: InvocationStatus | null;
  chargedUnits: number | null;
}

export interface X402PaymentFilter {
  state?: X402State | undefined;
  /** The paying address, in lower case. */
  payer?: string | undefined;
  /** Only payments from this id on, and before `toId`: ids sort by time. */
  fromId?: string | undefined;
  toId?: string | undefined;
  beforeId?: string | undefined;
  limit: number;
}

const COLUMNS = `${PAYMENT_COLUMNS}, amount_units::float8 AS "amountUnits", identifier, due_at AS "dueAt",
  ended_at AS "endedAt"`;
const IN_FILTER = `($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR payer = $2)
  AND ($3::text IS NULL OR payment_id >= $3) AND ($4::text IS NULL OR payment_id < $4)`;

/** Lists payments, newest first, with the total of the filter. */
export async function listX402Payments(
  db: Db,
  { state, payer, fromId, toId, beforeId, limit }: X402PaymentFilter,
): Promise<{ rows: ListedPayment[]; total: number }> {
  const values = [state ?? null, payer ?? null, fromId ?? null, toId ?? null];
  const { rows } = await db.query<ListedPayment>(
    `SELECT ${COLUMNS} FROM x402_payments WHERE ${IN_FILTER} AND ($5::text IS NULL OR payment_id < $5)
     ORDER BY payment_id DESC LIMIT $6`,
    [...values, beforeId ?? null, limit],
  );
  const list = {
    from: 'x402_payments',
    key: keyOf({ state, payer, fromId }),
    filter: IN_FILTER,
    order: 'payment_id DESC',
  };
  return { rows, total: await countRows(db, list, values) };
}

/** The condition that an index serves. The parameters that it does not name keep their types. */
function keyOf({ state, payer, fromId }: Pick<X402PaymentFilter, 'state' | 'payer' | 'fromId'>): string {
  if (payer !== undefined) return 'payer = $2';
  if (fromId !== undefined) return 'payment_id >= $3 AND payment_id < $4';
  return state === undefined ? 'true' : 'state = $1';
}

export async function readX402Payment(db: Db, paymentId: string): Promise<PaymentWithCall | undefined> {
  const { rows } = await db.query<PaymentWithCall>({
    name: 'x402-payment-read',
    text: `SELECT ${COLUMNS},
        (SELECT i.status FROM invocations i WHERE i.invocation_id = p.invocation_id) AS "callStatus",
        (SELECT i.charged_units::float8 FROM invocations i WHERE i.invocation_id = p.invocation_id) AS "chargedUnits"
      FROM x402_payments p WHERE payment_id = $1`,
    values: [paymentId],
  });
  return rows[0];
}
