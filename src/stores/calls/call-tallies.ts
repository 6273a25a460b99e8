import type { Db } from '../db';

/** Outcomes of calls to an agent, to be added to its counters. */
export interface TallyItem {
  agent_id: string;
  succeeded: number;
  refused: number;
  failed: number;
  /** Error code of the latest failed call. */
  code: string | null;
}

/** Adds outcomes to the counters of agents, in the order of their ids. */
export async function addTallies(db: Db, items: readonly TallyItem[]): Promise<void> {
  await db.query(
    `INSERT INTO agent_call_tallies AS t (agent_id, succeeded, refused, failed, code)
     SELECT i.agent_id, i.succeeded, i.refused, i.failed, i.code
       FROM jsonb_to_recordset($1::jsonb) AS i(agent_id text, succeeded int, refused int, failed int, code text)
      ORDER BY i.agent_id
     ON CONFLICT (agent_id) DO UPDATE
       SET succeeded = t.succeeded + EXCLUDED.succeeded, refused = t.refused + EXCLUDED.refused,
           failed = t.failed + EXCLUDED.failed, code = coalesce(EXCLUDED.code, t.code), is_due = true`,
    [JSON.stringify(items)],
  );
}
