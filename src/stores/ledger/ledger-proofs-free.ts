import type { LedgerProof } from './ledger-proof';

/**
 * Compares the counters of free calls with the calls, for this month and the one before. Older counters decide nothing
 * and are deleted.
 */
export const freeCallsAreCounted: LedgerProof = {
  name: 'free calls',
  promise: 'each counter of free calls is the number of free calls of its month that did not fail',
  sql: `
    WITH since AS MATERIALIZED (
      SELECT first.month, 'inv_' || lpad(to_hex((extract(epoch FROM first.month - interval '1 day') * 1000)::bigint), 12, '0')
        AS invocation_id
      FROM (SELECT (free_calls_month() - interval '1 month')::date AS month) first
    ), made AS (
      SELECT i.free_month AS month, i.buyer_user_id, i.agent_id, count(*) AS calls FROM invocations i
      WHERE i.invocation_id >= (SELECT invocation_id FROM since) AND i.free AND i.status <> 'failed'
        AND i.free_month >= (SELECT month FROM since)
      GROUP BY 1, 2, 3
    )
    SELECT buyer_user_id || ' of ' || agent_id || ' in ' || month AS subject,
           'the counter says ' || coalesce(f.used, 0) || ', there are ' || coalesce(made.calls, 0) AS problem
    FROM (SELECT * FROM free_calls WHERE month >= (SELECT month FROM since)) f
      FULL JOIN made USING (month, buyer_user_id, agent_id)
    WHERE coalesce(f.used, 0) <> coalesce(made.calls, 0)`,
};
