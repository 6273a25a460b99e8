import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import { CHARGED_FREE_CALLS } from '../prices/charged-price';

/** What is known about the funds of a call before its body is read. */
export interface CallFunds {
  walletUnits: number;
  /** The buyer has free calls of the version left this month. */
  isFree: boolean;
  /** The buyer has made a call with an idempotency key, so this call may repeat it, which costs nothing. */
  hasKeys: boolean;
  /** Calls of the buyer that are pending or running, without its jobs. */
  inFlight: number;
}

export async function readCallFunds(db: Db, buyerUserId: string, versionId: string): Promise<CallFunds> {
  const { rows } = await db.query<{ wallet: string; free: boolean; keys: boolean; running: string }>({
    name: 'call-funds',
    text: `SELECT coalesce(a.balance_units, 0) AS wallet,
                  free_calls_left(${CHARGED_FREE_CALLS}, $1, v.agent_id) > 0 AS free,
                  EXISTS (SELECT FROM invocation_keys k WHERE k.buyer_user_id = $1) AS keys,
                  (SELECT count(*) FROM invocations i
                    WHERE i.buyer_user_id = $1 AND i.status IN ('pending', 'running'))
                    - (SELECT count(*) FROM jobs j WHERE j.buyer_user_id = $1 AND j.ended_at IS NULL) AS running
             FROM agent_versions v LEFT JOIN accounts a ON a.user_id = $1 AND a.kind = 'wallet'
            WHERE v.version_id = $2`,
    values: [buyerUserId, versionId],
  });
  const [row] = rows;
  if (!row) throw new Error(`version ${versionId} does not exist`);
  return {
    walletUnits: unitsFromDatabase(row.wallet),
    isFree: row.free,
    hasKeys: row.keys,
    inFlight: Number(row.running),
  };
}
