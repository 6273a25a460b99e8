/** The figures of listings, and the roll-up of usage from which they are read (`migrations/0016_usage.js`). */
import { IS_AGENT_ERROR } from './usage';
import { withTransaction, type Db, type DbPool } from '../db';

/** Days whose calls the figures count: today and the days before it. */
const WINDOW_DAYS = 30;

/** Adds up to `most` waiting changes of usage to the days of their agents. Returns how many. */
export async function rollUpUsage(db: Db, most: number): Promise<number> {
  const { rows } = await db.query<{ rolled: string }>('SELECT usage_roll_up($1) AS rolled', [most]);
  return Number(rows[0]?.rolled ?? 0);
}

/** Lists agents whose figures are due, longest due first, without those in `aside`. */
export async function listDueStats(db: Db, limit: number, aside: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ agent_id: string }>(
    `SELECT agent_id FROM agent_stats WHERE due_at <= now() AND agent_id <> ALL ($2) ORDER BY due_at LIMIT $1`,
    [limit, aside],
  );
  return rows.map((row) => row.agent_id);
}

/**
 * Computes figures of agents: calls of the last 30 UTC days that have ended, the share of successes among them and the
 * errors of the agent, and the median duration of the successes. Rows that another process computes are left out. Returns how many were computed.
 */
export async function refreshStats(pool: DbPool, agentIds: readonly string[]): Promise<number> {
  return withTransaction(pool, async (tx) => {
    const locked = await tx.query<{ agent_id: string }>(
      `SELECT agent_id FROM agent_stats WHERE agent_id = ANY ($1) ORDER BY agent_id FOR NO KEY UPDATE SKIP LOCKED`,
      [agentIds],
    );
    const result = await tx.query(REFRESH, [locked.rows.map((row) => row.agent_id), WINDOW_DAYS]);
    return result.rowCount ?? 0;
  });
}

const REFRESH = `
  UPDATE agent_stats s SET invocations_30d = coalesce(f.calls, 0), p50_ms = f.p50_ms,
    success_rate = round(f.succeeded / nullif(f.succeeded + f.agent_errors, 0), 4),
    due_at = date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day'
  FROM unnest($1::text[]) u(agent_id) CROSS JOIN LATERAL (
    SELECT sum(c.calls) AS calls, coalesce(sum(c.calls) FILTER (WHERE c.status = 'succeeded'), 0) AS succeeded,
      coalesce(sum(c.calls) FILTER (WHERE ${IS_AGENT_ERROR}), 0) AS agent_errors,
      (SELECT min(duration_of(h.bucket)) FROM (
         SELECT l.bucket, sum(sum(l.calls)) OVER (ORDER BY l.bucket) AS so_far, sum(sum(l.calls)) OVER () AS total
         FROM agent_day_latencies l
         WHERE l.agent_id = u.agent_id AND l.day > (now() AT TIME ZONE 'UTC')::date - $2::integer
         GROUP BY l.bucket) h WHERE h.so_far > 0 AND h.so_far * 2 >= h.total) AS p50_ms
    FROM agent_day_calls c
    WHERE c.agent_id = u.agent_id AND c.day > (now() AT TIME ZONE 'UTC')::date - $2::integer) f
  WHERE s.agent_id = u.agent_id`;
