import type { Db } from '../db';
import { countRows } from '../list-total';
import { shownTo } from '../shown-to';
import { CHARGED_FREE_CALLS } from '../prices/charged-price';

export interface FreeCalls {
  agentId: string;
  perMonth: number;
  left: number;
}

const OWN = `f.month = free_calls_month() AND f.buyer_user_id = $1 AND ${shownTo('$1')}`;
const SERVED = `free_calls f JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id`;

/** Lists the agents with a free tier of which the account has used free calls this month, by their ids. */
export async function listFreeCalls(
  db: Db,
  { userId, afterId, limit }: { userId: string; afterId?: string | undefined; limit: number },
): Promise<{ rows: FreeCalls[]; total: number }> {
  const { rows } = await db.query<FreeCalls>(
    `SELECT f.agent_id AS "agentId", ${CHARGED_FREE_CALLS} AS "perMonth",
            free_calls_unused(${CHARGED_FREE_CALLS}, f.used) AS left
       FROM ${SERVED} WHERE ${OWN} AND ${CHARGED_FREE_CALLS} > 0 AND ($2::text IS NULL OR f.agent_id > $2)
      ORDER BY f.agent_id LIMIT $3`,
    [userId, afterId ?? null, limit],
  );
  const list = { from: SERVED, key: OWN, filter: `${CHARGED_FREE_CALLS} > 0` };
  return { rows, total: await countRows(db, list, [userId]) };
}
