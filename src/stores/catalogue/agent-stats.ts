import { firstInvocationIdSince } from '../../kit/ids/id-time';
import type { Db } from '../db';

/**
 * Recomputes the oldest statistics of agents: calls of the last 30 days, share of ended calls that succeeded, median
 * duration of the successes. Reads one index range per agent. Returns how many agents were refreshed.
 */
export async function refreshOldestStats(
  db: Db,
  options: { staleMs: number; limit: number },
): Promise<number> {
  const result = await db.query(
    `INSERT INTO agent_stats (agent_id, invocations_30d, success_rate, p50_ms, refreshed_at)
     SELECT stale.agent_id, figures.calls, figures.success_rate, figures.p50_ms, now()
       FROM (SELECT a.agent_id FROM agents a LEFT JOIN agent_stats s USING (agent_id)
              WHERE a.serving_version_id IS NOT NULL AND a.status = 'active'
                AND (s.refreshed_at IS NULL OR s.refreshed_at < now() - $1 * interval '1 ms')
              ORDER BY s.refreshed_at NULLS FIRST LIMIT $2) stale
      CROSS JOIN LATERAL (
        SELECT count(*) AS calls,
               round(count(*) FILTER (WHERE status = 'succeeded')::numeric
                     / nullif(count(*) FILTER (WHERE status IN ('succeeded', 'failed', 'disputed')), 0), 4) AS success_rate,
               percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms)
                 FILTER (WHERE status = 'succeeded') AS p50_ms
          FROM invocations
         WHERE agent_id = stale.agent_id AND invocation_id >= $3
      ) figures
     ON CONFLICT (agent_id) DO UPDATE SET invocations_30d = excluded.invocations_30d,
       success_rate = excluded.success_rate, p50_ms = excluded.p50_ms, refreshed_at = excluded.refreshed_at`,
    [options.staleMs, options.limit, firstInvocationIdSince(Date.now() - WINDOW_MS)],
  );
  return result.rowCount ?? 0;
}

const WINDOW_MS = 30 * 24 * 60 * 60 * 1_000;
