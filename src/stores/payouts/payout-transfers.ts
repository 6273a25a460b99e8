/**
 * USDC transfers (`migrations/functions/payouts`). Each is written once, moved while it is in progress, and ended once.
 */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { TransferState } from '../../domain/payouts/transfer';
import { onlyRow, type Db } from '../db';
import type { FilePayout } from './payout-files';
import { toPayout, type RawPayout } from './payouts';

export interface TransferRow {
  transferId: string;
  asOf: Date;
  attempt: number;
  state: TransferState;
  /** Why the transfer waits or failed. */
  reason: string | null;
  /** CAIP-2 identifier. */
  network: string;
  asset: string;
  treasury: string;
  nonce: string;
  totalMinor: number;
  validBefore: Date;
  fromBlock: number;
  sealed: Buffer;
  txHash: string | null;
  endedAt: Date | null;
}

/**
 * Lists a developer's serving agents that were priced in USD at `asOf`, with the document that contains their payment
 * address of that time: of the version that was live then or, for an agent that went live later (`isLater`), of its
 * first one.
 */
export async function listPricedInUsd(
  db: Db,
  developerUserId: string,
  asOf: Date,
): Promise<{ agentId: string; manifest: string; isLater: boolean }[]> {
  const { rows } = await db.query<{ agent_id: string; manifest: string; is_later: boolean }>(
    `SELECT a.agent_id, v.manifest, coalesce(v.live_at > $2, false) AS is_later FROM agents a CROSS JOIN LATERAL (
       SELECT n.manifest, n.live_at FROM agent_versions n
        WHERE n.agent_id = a.agent_id AND (n.live_at IS NOT NULL OR n.version_id = a.serving_version_id)
        ORDER BY n.live_at <= $2 DESC NULLS LAST, CASE WHEN n.live_at <= $2 THEN n.live_at END DESC, n.live_at
        LIMIT 1) v
     WHERE a.developer_user_id = $1 AND a.kind <> 'manifest' AND a.serving_version_id IS NOT NULL
       AND strpos(v.manifest, '"x402"') > 0`,
    [developerUserId, asOf],
  );
  return rows.map((row) => ({ agentId: row.agent_id, manifest: row.manifest, isLater: row.is_later }));
}

/**
 * Lists pending USDC payouts of a run without a transfer. `sealed`: the developer's payout details, if `usdc` is set.
 */
export async function listForTransfer(
  db: Db,
  run: { asOf: Date; attempt: number },
): Promise<(Omit<FilePayout, 'sealed'> & { sealed: Buffer | null })[]> {
  const { rows } = await db.query<RawPayout & { sealed: Buffer | null }>(
    `SELECT p.*, m.sealed FROM payouts p LEFT JOIN payout_methods m USING (method_id)
     WHERE p.as_of = $1 AND p.attempt = $2 AND p.method = 'usdc' AND p.status = 'pending' AND p.transfer_id IS NULL
     ORDER BY p.payout_id`,
    [run.asOf, run.attempt],
  );
  return rows.map((row) => ({ ...toPayout(row), sealed: row.sealed }));
}

/** Counts a run's USDC payouts that wait for a transfer or whose transfer has not ended. */
export async function countOpenUsdcPayouts(db: Db, run: { asOf: Date; attempt: number }): Promise<number> {
  const result = await db.query<{ count: string }>(
    `SELECT count(*) FROM payouts WHERE as_of = $1 AND attempt = $2 AND method = 'usdc'
       AND status IN ('pending', 'processing')`,
    [run.asOf, run.attempt],
  );
  return Number(onlyRow(result).count);
}

export interface NewTransfer extends Omit<TransferRow, 'state' | 'reason' | 'txHash' | 'endedAt'> {
  payoutIds: readonly string[];
}

/** Writes a transfer and assigns its payouts. Returns false if a transfer with this id exists. */
export async function writeTransfer(db: Db, transfer: NewTransfer): Promise<boolean> {
  const result = await db.query<{ written: boolean }>(
    'SELECT payout_transfer_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS written',
    [
      transfer.transferId,
      transfer.asOf,
      transfer.attempt,
      transfer.network,
      transfer.asset,
      transfer.treasury,
      transfer.nonce,
      transfer.payoutIds,
      transfer.totalMinor,
      transfer.validBefore,
      transfer.fromBlock,
      transfer.sealed,
    ],
  );
  return onlyRow(result).written;
}

/** Moves a transfer if it is in one of the states `from`; returns false otherwise. */
export async function moveTransfer(
  db: Db,
  transferId: string,
  move: {
    from: readonly TransferState[];
    to: 'pending' | 'unknown' | 'submitted';
    txHash?: string | null;
    reason?: string | null;
  },
): Promise<boolean> {
  const result = await db.query<{ moved: boolean }>(
    'SELECT payout_transfer_move($1, $2, $3, $4, $5) AS moved',
    [transferId, move.from, move.to, move.txHash ?? null, move.reason ?? null],
  );
  return onlyRow(result).moved;
}

/** Ends a transfer and its payouts. Returns false if it had already ended. */
export async function endTransfer(
  db: Db,
  transferId: string,
  end: { state: 'confirmed'; txHash: string } | { state: 'failed'; txHash: string | null; reason: string },
): Promise<boolean> {
  const reason = end.state === 'failed' ? end.reason : null;
  const result = await db.query<{ ended: boolean }>(
    'SELECT payout_transfer_end($1, $2, $3, $4, now()) AS ended',
    [transferId, end.state === 'confirmed', end.txHash, reason],
  );
  return onlyRow(result).ended;
}

/** Returns reserved payouts that are in no transfer or file to their developers. Returns how many. */
export async function returnReserved(db: Db, payoutIds: readonly string[], reason: string): Promise<number> {
  const result = await db.query<{ ended: number }>('SELECT payout_return_reserved($1, $2, now()) AS ended', [
    payoutIds,
    reason,
  ]);
  return onlyRow(result).ended;
}

export async function readTransfer(db: Db, transferId: string): Promise<TransferRow | undefined> {
  return (await readTransfers(db, [transferId]))[0];
}

export async function readTransfers(db: Db, transferIds: readonly string[]): Promise<TransferRow[]> {
  if (transferIds.length === 0) return [];
  const { rows } = await db.query<RawTransfer>(
    'SELECT * FROM payout_transfers WHERE transfer_id = ANY ($1)',
    [transferIds],
  );
  return rows.map(toTransfer);
}

/** Lists the transfers of a run that have not ended. */
export async function listOpenTransfers(db: Db, run: { asOf: Date; attempt: number }): Promise<string[]> {
  const { rows } = await db.query<{ transfer_id: string }>(
    `SELECT transfer_id FROM payout_transfers WHERE as_of = $1 AND attempt = $2 AND ended_at IS NULL
     ORDER BY transfer_id`,
    [run.asOf, run.attempt],
  );
  return rows.map((row) => row.transfer_id);
}

interface RawTransfer {
  transfer_id: string;
  as_of: Date;
  attempt: number;
  state: TransferState;
  reason: string | null;
  network: string;
  asset: string;
  treasury: string;
  nonce: string;
  total_minor: string;
  valid_before: Date;
  from_block: string;
  sealed: Buffer;
  tx_hash: string | null;
  ended_at: Date | null;
}

function toTransfer(row: RawTransfer): TransferRow {
  return {
    transferId: row.transfer_id,
    asOf: row.as_of,
    attempt: row.attempt,
    state: row.state,
    reason: row.reason,
    network: row.network,
    asset: row.asset,
    treasury: row.treasury,
    nonce: row.nonce,
    totalMinor: unitsFromDatabase(row.total_minor),
    validBefore: row.valid_before,
    fromBlock: Number(row.from_block),
    sealed: row.sealed,
    txHash: row.tx_hash,
    endedAt: row.ended_at,
  };
}
