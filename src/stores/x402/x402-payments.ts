/** Payments of callers without an account (`migrations/0130_x402_payments.sql`, `migrations/functions/x402`). */
import type { X402State } from '../../domain/x402/payment-state';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { type Db, onlyRow } from '../db';

/** A payment that is to be written. Addresses, nonce and hashes are hexadecimal in lower case. */
export interface PaymentItem {
  payment_id: string;
  user_id: string;
  network: string;
  asset: string;
  payer: string;
  nonce: string;
  pay_to: string;
  amount_minor: number;
  amount_units: number;
  identifier: string | null;
  proof_sha256: string;
  agent_id: string;
  input_sha256: string;
  /** ISO 8601. */
  valid_before: string;
  from_block: number;
  trace_id: string;
}

export interface X402PaymentRow {
  paymentId: string;
  userId: string;
  network: string;
  asset: string;
  payer: string;
  nonce: string;
  payTo: string;
  amountMinor: number;
  proofSha256: string;
  agentId: string;
  inputSha256: string;
  invocationId: string | null;
  state: X402State;
  validBefore: Date;
  fromBlock: number;
  sentAt: Date | null;
  txHash: string | null;
  reason: string | null;
  createdAt: Date;
}

export const PAYMENT_COLUMNS = `payment_id AS "paymentId", user_id AS "userId", network, asset, payer, nonce, pay_to AS "payTo",
  amount_minor::float8 AS "amountMinor", proof_sha256 AS "proofSha256", agent_id AS "agentId",
  input_sha256 AS "inputSha256", invocation_id AS "invocationId", state, valid_before AS "validBefore",
  from_block::float8 AS "fromBlock", sent_at AS "sentAt", tx_hash AS "txHash", reason, created_at AS "createdAt"`;

/** The account of a paying address, which is made if there is none. `accountId`: its CAIP-10 id in lower case. */
export async function payerAccount(
  db: Db,
  payer: { accountId: string; newUserId: string; displayName: string },
): Promise<string> {
  const result = await db.query<{ id: string }>('SELECT x402_payer($1, $2, $3) AS id', [
    payer.accountId,
    payer.newUserId,
    payer.displayName,
  ]);
  return onlyRow(result).id;
}

/** The account of a paying address; undefined if it has none. */
export async function findPayer(db: Db, accountId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'x402-payer',
    text: `SELECT user_id AS id FROM users WHERE lower(email) = $1 AND kind = 'payer'`,
    values: [accountId],
  });
  return rows[0]?.id;
}

export async function findPayment(
  db: Db,
  key: Pick<PaymentItem, 'network' | 'asset' | 'payer' | 'nonce'>,
): Promise<X402PaymentRow | undefined> {
  const { rows } = await db.query<X402PaymentRow>({
    name: 'x402-payment-by-nonce',
    text: `SELECT ${PAYMENT_COLUMNS} FROM x402_payments WHERE network = $1 AND asset = $2 AND payer = $3 AND nonce = $4`,
    values: [key.network, key.asset, key.payer, key.nonce],
  });
  return rows[0];
}

/** The payment of a call; undefined if it has none. */
export async function paymentOfCall(db: Db, invocationId: string): Promise<X402PaymentRow | undefined> {
  const { rows } = await db.query<X402PaymentRow>({
    name: 'x402-payment-of-call',
    text: `SELECT ${PAYMENT_COLUMNS} FROM x402_payments WHERE invocation_id = $1`,
    values: [invocationId],
  });
  return rows[0];
}

/** Opens a payment for a call, in the transaction that accepts the call. `dueMs`: when the loop looks at it. */
export async function openPayment(
  tx: Db,
  item: PaymentItem & { invocation_id: string },
  dueMs: number,
): Promise<'funded' | 'joined' | 'reused' | 'expired'> {
  const result = await tx.query<{ outcome: 'funded' | 'joined' | 'reused' | 'expired' }>(
    'SELECT x402_payment_open($1) AS outcome',
    [JSON.stringify({ ...item, due_ms: dueMs })],
  );
  return onlyRow(result).outcome;
}

/** Remembers a payment whose call was refused after it was verified. */
export async function watchPayment(db: Db, item: PaymentItem): Promise<void> {
  await db.query('SELECT x402_payment_watch($1)', [JSON.stringify(item)]);
}

/** Permits to send a payment to be settled, while the hold of its call is open. */
export async function permitSend(
  db: Db,
  paymentId: string,
  invocationId: string,
): Promise<'send' | 'settled' | 'closed'> {
  const result = await db.query<{ outcome: 'send' | 'settled' | 'closed' }>(
    'SELECT x402_payment_send($1, $2) AS outcome',
    [paymentId, invocationId],
  );
  return onlyRow(result).outcome;
}

/** Takes the credits of a payment back whose call ended uncharged. */
export async function releasePayment(
  db: Db,
  paymentId: string,
  reason: string,
): Promise<'released' | 'running' | 'unchanged'> {
  const result = await db.query<{ outcome: 'released' | 'running' | 'unchanged' }>(
    'SELECT x402_payment_release($1, $2) AS outcome',
    [paymentId, reason],
  );
  return onlyRow(result).outcome;
}

/** Records that a payment is on the chain. Returns false if it had ended. */
export async function settlePayment(db: Db, paymentId: string, txHash: string): Promise<boolean> {
  const result = await db.query<{ done: boolean }>('SELECT x402_payment_settle($1, $2) AS done', [
    paymentId,
    txHash,
  ]);
  return onlyRow(result).done;
}

/** Ends a payment whose authorization was not used and no longer can be. `reason`: null keeps the one it has. */
export async function expirePayment(db: Db, paymentId: string, reason: string | null): Promise<boolean> {
  const result = await db.query<{ done: boolean }>('SELECT x402_payment_expire($1, $2) AS done', [
    paymentId,
    reason,
  ]);
  return onlyRow(result).done;
}

export type DuePayment = X402PaymentRow & { callStatus: InvocationStatus | null };

/** Claims up to `most` payments that are due, each with the status of its call, for `leaseMs`. */
export async function claimDuePayments(db: Db, most: number, leaseMs: number): Promise<DuePayment[]> {
  const { rows } = await db.query<DuePayment>({
    name: 'x402-payments-due',
    text: `WITH due AS (SELECT payment_id AS id FROM x402_payments WHERE ended_at IS NULL AND due_at <= now()
                         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE x402_payments p SET due_at = now() + $2 * interval '1 ms' FROM due WHERE p.payment_id = due.id
      RETURNING ${PAYMENT_COLUMNS}, (SELECT i.status FROM invocations i WHERE i.invocation_id = p.invocation_id)
        AS "callStatus"`,
    values: [most, leaseMs],
  });
  return rows;
}

/** Lets the loop look at a payment again after `ms`. */
export async function postponePayment(db: Db, paymentId: string, ms: number): Promise<void> {
  await db.query(
    `UPDATE x402_payments SET due_at = now() + $2 * interval '1 ms' WHERE payment_id = $1 AND ended_at IS NULL`,
    [paymentId, ms],
  );
}
