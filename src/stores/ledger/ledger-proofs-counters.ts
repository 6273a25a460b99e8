import type { LedgerProof } from './ledger-proof';

/**
 * Compares the counters of free calls with the calls, for this month and the one before. Older counters decide
 * nothing and are deleted.
 */
export const freeCallsAreCounted: LedgerProof = {
  name: 'free calls',
  promise: 'each counter of free calls is the number of free calls of its month that did not fail',
  sql: `
    WITH since AS MATERIALIZED (
      SELECT first.month, partition_bound('inv', first.month - 1) AS invocation_id
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

/**
 * Compares the usage of agents by day, with what is not rolled up yet, with the calls. Days whose calls are no longer
 * stored are left out.
 */
export const usageIsCounted: LedgerProof = {
  name: 'usage',
  promise: 'the usage of each agent counts each call that ended once, with its charge and fee',
  sql: `
    WITH made AS (
      SELECT i.agent_id, u.status, sum(u.calls) AS calls, coalesce(sum(u.gross), 0) AS gross,
             coalesce(sum(u.fee), 0) AS fee, min((i.invoked_at AT TIME ZONE 'UTC')::date) AS first_day
      FROM invocations i LEFT JOIN earnings l USING (invocation_id)
      CROSS JOIN LATERAL (VALUES
        (i.status, 1, i.charged_units - coalesce(i.returned_units, 0), l.fee_units - coalesce(l.returned_fee_units, 0)),
        ('disputed', 0, i.returned_units, l.returned_fee_units)) u(status, calls, gross, fee)
      WHERE i.status IN ('succeeded', 'failed', 'disputed') AND (u.calls = 1 OR i.returned_units IS NOT NULL) GROUP BY 1, 2
    ), counted AS (
      SELECT agent_id, status, sum(calls) AS calls, sum(gross_units) AS gross, sum(fee_units) AS fee
      FROM agent_day_calls WHERE day >= (SELECT coalesce(min(first_day), 'infinity') FROM made) GROUP BY 1, 2
    )
    SELECT agent_id || ' ' || status AS subject, 'usage says ' || coalesce(counted.calls, 0) || ' calls for '
             || coalesce(counted.gross, 0) || ' with a fee of ' || coalesce(counted.fee, 0) || ', the calls say '
             || coalesce(made.calls, 0) || ' for ' || coalesce(made.gross, 0) || ' with ' || coalesce(made.fee, 0) AS problem
    FROM made FULL JOIN counted USING (agent_id, status)
    WHERE (coalesce(counted.calls, 0), coalesce(counted.gross, 0), coalesce(counted.fee, 0))
      <> (coalesce(made.calls, 0), coalesce(made.gross, 0), coalesce(made.fee, 0))
    UNION ALL
    SELECT agent_id || ' ' || status, 'the total says ' || coalesce(t.sums::text, 'nothing') || ' (calls, charges, fees), the days say '
             || coalesce(d.sums::text, 'nothing')
    FROM (SELECT agent_id, status, ROW(sum(calls), sum(gross_units), sum(fee_units)) AS sums FROM agent_total_calls GROUP BY 1, 2) t
    FULL JOIN (SELECT agent_id, status, ROW(sum(calls), sum(gross_units), sum(fee_units)) AS sums FROM agent_day_calls GROUP BY 1, 2) d
      USING (agent_id, status)
    WHERE coalesce(t.sums::text, '(0,0,0)') <> coalesce(d.sums::text, '(0,0,0)')`,
};
