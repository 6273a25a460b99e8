import type { Db } from '../db';

/** Outcomes of paid calls of one buyer to an agent, to be added to the buyer's day. */
export interface TallyItem {
  agent_id: string;
  buyer_user_id: string;
  succeeded: number;
  refused: number;
  failed: number;
  /** Error code of the latest failed call. */
  code: string | null;
  /** What the successes are charged. */
  units?: number;
  /** How long the first success took that was no job, and the first job. */
  duration_ms?: number;
  job_duration_ms?: number;
}

/** Adds outcomes to the days of buyers and to the figures of agents. Each agent and buyer stands in one item. */
export async function addTallies(db: Db, items: readonly TallyItem[]): Promise<void> {
  await db.query('SELECT buyer_days_add($1::jsonb)', [JSON.stringify(items)]);
}
