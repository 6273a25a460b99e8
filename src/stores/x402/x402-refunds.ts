/** Credits that are sent back to paying addresses (`migrations/0131_x402_refunds.sql`), and their signed statements. */
import { type Db, onlyRow } from '../db';
import type { endTransfer, moveTransfer, TransferRow } from '../payouts/payout-transfers';

export interface RefundRow extends Pick<
  TransferRow,
  'transferId' | 'network' | 'asset' | 'treasury' | 'nonce' | 'fromBlock' | 'state' | 'reason' | 'sealed'
> {
  userId: string;
  payTo: string;
  amountUnits: number;
  txHash: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `refund_id AS "transferId", user_id AS "userId", network, asset, treasury, pay_to AS "payTo", nonce,
  amount_units::float8 AS "amountUnits", from_block::float8 AS "fromBlock", state, reason, sealed, tx_hash AS "txHash",
  created_at AS "createdAt", ended_at AS "endedAt"`;

export interface RefundItem {
  refund_id: string;
  user_id: string;
  network: string;
  asset: string;
  treasury: string;
  pay_to: string;
  nonce: string;
  amount_units: number;
  amount_minor: number;
  /** ISO 8601. */
  valid_before: string;
  from_block: number;
  trace_id: string;
}

/** Takes the credits from the wallet and writes their signed transfer. */
export async function beginRefund(
  db: Db,
  item: RefundItem,
  sealed: Buffer,
): Promise<'begun' | 'payment_open' | 'insufficient' | 'frozen'> {
  const result = await db.query<{ outcome: 'begun' | 'payment_open' | 'insufficient' | 'frozen' }>(
    'SELECT x402_refund_begin($1, $2) AS outcome',
    [JSON.stringify(item), sealed],
  );
  return onlyRow(result).outcome;
}

/** Moves a refund, as `moveTransfer` does for a transfer of payouts. */
export const moveRefund: typeof moveTransfer = async (db, refundId, move) => {
  const result = await db.query<{ moved: boolean }>('SELECT x402_refund_move($1, $2, $3, $4, $5) AS moved', [
    refundId,
    move.from,
    move.to,
    move.txHash ?? null,
    move.reason ?? null,
  ]);
  return onlyRow(result).moved;
};

/** Ends a refund; a failed one returns its credits to the wallet. */
export const endRefund: typeof endTransfer = async (db, refundId, end) => {
  const reason = end.state === 'failed' ? end.reason : null;
  const result = await db.query<{ ended: boolean }>('SELECT x402_refund_end($1, $2, $3, $4) AS ended', [
    refundId,
    end.state === 'confirmed',
    end.txHash,
    reason,
  ]);
  return onlyRow(result).ended;
};

/** Claims up to `most` refunds that are due, for `leaseMs`. */
export async function claimDueRefunds(db: Db, most: number, leaseMs: number): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>({
    name: 'x402-refunds-due',
    text: `WITH due AS (SELECT refund_id AS id FROM x402_refunds WHERE ended_at IS NULL AND due_at <= now()
                         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE x402_refunds r SET due_at = now() + $2 * interval '1 ms' FROM due WHERE r.refund_id = due.id
      RETURNING ${COLUMNS}`,
    values: [most, leaseMs],
  });
  return rows;
}

/** The latest refunds of an account. */
export async function listRefunds(db: Db, userId: string, most: number): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>({
    name: 'x402-refunds-of',
    text: `SELECT ${COLUMNS} FROM x402_refunds WHERE user_id = $1 ORDER BY refund_id DESC LIMIT $2`,
    values: [userId, most],
  });
  return rows;
}

/** Notes that a statement of an address was used. Returns false if it was used before. */
export async function useSignIn(
  db: Db,
  { address, nonce, endsAt }: { address: string; nonce: string; endsAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'INSERT INTO x402_sign_ins (address, nonce, ends_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [address, nonce, endsAt],
  );
  return rowCount === 1;
}

/** Deletes up to `most` statements that have ended. */
export async function purgeSignIns(db: Db, most: number): Promise<void> {
  await db.query(
    `DELETE FROM x402_sign_ins WHERE (address, nonce) IN (SELECT address, nonce FROM x402_sign_ins
      WHERE ends_at < now() ORDER BY ends_at LIMIT $1)`,
    [most],
  );
}

/** The address of a paying account, in lower case; undefined for any other account. */
export async function addressOf(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ address: string }>(
    `SELECT split_part(email, ':', 3) AS address FROM users WHERE user_id = $1 AND kind = 'payer'`,
    [userId],
  );
  return rows[0]?.address;
}

/** The credits of a wallet, in units, and whether a payment of its owner is still to arrive. */
export async function readCredits(db: Db, userId: string): Promise<{ units: number; isOpen: boolean }> {
  const result = await db.query<{ units: number; isOpen: boolean }>({
    name: 'x402-credits',
    text: `SELECT balance_units::float8 AS units,
             EXISTS (SELECT FROM x402_payments p WHERE p.user_id = $1 AND p.state = 'held') AS "isOpen"
             FROM accounts WHERE user_id = $1 AND kind = 'wallet'`,
    values: [userId],
  });
  return onlyRow(result);
}
