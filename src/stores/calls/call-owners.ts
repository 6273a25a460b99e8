import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** A call whose process is gone. */
export interface LostCall {
  invocationId: string;
  owner: string;
  agentId: string;
  buyerUserId: string;
  timeoutMs: number;
  traceId: string;
  priceUnits: number;
}

/** Records that the process `owner`, which holds calls, is alive. */
export async function recordOwnerSeen(db: Db, owner: string): Promise<void> {
  await db.query('SELECT call_owner_seen($1)', [owner]);
}

/** Calls with an open hold whose process was not seen for `silentMs`; at most `most`. */
export async function listLostCalls(db: Db, silentMs: number, most: number): Promise<LostCall[]> {
  const result = await db.query<{
    invocation_id: string;
    owner: string;
    agent_id: string;
    buyer_user_id: string;
    timeout_ms: number;
    trace_id: string;
    price_units: string;
  }>(
    `SELECT invocation_id, owner, agent_id, buyer_user_id, timeout_ms, trace_id, price_units
       FROM calls_of_lost_owners($1, $2)`,
    [silentMs, most],
  );
  return result.rows.map((row) => ({
    invocationId: row.invocation_id,
    owner: row.owner,
    agentId: row.agent_id,
    buyerUserId: row.buyer_user_id,
    timeoutMs: row.timeout_ms,
    traceId: row.trace_id,
    priceUnits: unitsFromDatabase(row.price_units),
  }));
}

/** Lists calls that no process drives, longest abandoned first, without those in `aside`. */
export async function listAbandoned(
  db: Db,
  pendingLeaseMs: number,
  limit: number,
  aside: readonly string[] = [],
): Promise<string[]> {
  const result = await db.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM invocation_abandoned($1, $2, $3) AS a(invocation_id)',
    [pendingLeaseMs, limit, aside],
  );
  return result.rows.map((row) => row.invocation_id);
}

/**
 * Ends those of these calls that no process drives: voids holds with an expired lease and fails pending calls that got
 * no hold in time. Returns their ids.
 */
export async function sweepInvocations(
  db: Db,
  pendingLeaseMs: number,
  ids: readonly string[],
): Promise<string[]> {
  const result = await db.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM invocation_sweep($1, $2) AS s(invocation_id)',
    [pendingLeaseMs, ids],
  );
  return result.rows.map((row) => row.invocation_id);
}
