import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import { CHARGED_FREE_CALLS } from '../prices/charged-price';

/** What a buyer can pay a call with, before the call is judged. */
export interface BuyerMeans {
  walletUnits: number;
  /** True if a call of the free tier of the version is left. */
  hasFreeCall: boolean;
}

/** Reads without locks; `invocation_accept` decides. An unknown buyer has nothing. */
export async function readBuyerMeans(
  db: Db,
  buyerUserId: string,
  { versionId, agentId }: { versionId: string; agentId: string },
): Promise<BuyerMeans> {
  const { rows } = await db.query<{ wallet: string | null; has_free_call: boolean }>({
    name: 'buyer-means',
    text: `SELECT (SELECT a.balance_units FROM accounts a WHERE a.user_id = $1 AND a.kind = 'wallet') AS wallet,
                  free_calls_left(${CHARGED_FREE_CALLS}, $1, $2) > 0 AS has_free_call
             FROM agent_versions v WHERE v.version_id = $3`,
    values: [buyerUserId, agentId, versionId],
  });
  const [row] = rows;
  return {
    walletUnits: row?.wallet ? unitsFromDatabase(row.wallet) : 0,
    hasFreeCall: row?.has_free_call ?? false,
  };
}
