-- Counts the usage of all agents, and of the marketplace, again from the rows of calls, for the owner of the tables: after a repair, or when
-- rows were loaded past the trigger, and the days of buyers of the last 31 days, which are then no evidence for
-- verification. Days whose calls are no longer stored are kept. No call can end meanwhile.
-- Called by: the owner of the tables.
-- Locks: the advisory lock of usage_roll_up, then pending_rollups and usage_deltas against writers.
CREATE OR REPLACE FUNCTION usage_recount() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE first_day date;
BEGIN
  PERFORM pg_advisory_xact_lock(7203005);
  LOCK TABLE pending_rollups, usage_deltas IN EXCLUSIVE MODE;
  UPDATE pending_rollups SET agent_id = NULL WHERE agent_id IS NOT NULL;
  SELECT coalesce(min((i.invoked_at AT TIME ZONE 'UTC')::date), '-infinity') INTO first_day FROM all_invocations i;
  DELETE FROM usage_deltas;
  DELETE FROM agent_days d WHERE d.day >= first_day;
  DELETE FROM agent_day_durations d WHERE d.day >= first_day;
  INSERT INTO agent_days
  SELECT i.agent_id, (i.invoked_at AT TIME ZONE 'UTC')::date, u.status, u.error_code, sum(u.calls), coalesce(sum(u.gross), 0),
    coalesce(sum(u.fee), 0)
  FROM all_invocations i LEFT JOIN all_earnings l USING (invocation_id)
  -- The part of a charge that a dispute returned is a sum of disputed calls, and no call of them.
  CROSS JOIN LATERAL (VALUES
    (i.status, counted_code(i.invocation_id, i.error_code), 1, i.charged_units - coalesce(i.returned_units, 0),
      l.fee_units - coalesce(l.returned_fee_units, 0)),
    ('disputed', '', 0, i.returned_units, l.returned_fee_units)) u(status, error_code, calls, gross, fee)
  WHERE i.status IN ('succeeded', 'failed', 'disputed') AND (u.calls = 1 OR i.returned_units IS NOT NULL)
  GROUP BY 1, 2, 3, 4;
  DELETE FROM agent_totals;
  INSERT INTO agent_totals
  SELECT d.agent_id, d.status, d.error_code, sum(d.calls), sum(d.gross_units), sum(d.fee_units)
  FROM agent_days d GROUP BY 1, 2, 3;
  INSERT INTO agent_day_durations
  SELECT i.agent_id, (i.invoked_at AT TIME ZONE 'UTC')::date,
    usage_bucket(i.duration_ms, j.invocation_id IS NOT NULL), count(*)
  FROM all_invocations i LEFT JOIN jobs j USING (invocation_id) WHERE i.status = 'succeeded' AND i.duration_ms IS NOT NULL GROUP BY 1, 2, 3;
  DELETE FROM market_days d WHERE d.day >= first_day;
  INSERT INTO market_days
  SELECT (i.invoked_at AT TIME ZONE 'UTC')::date, u.status, u.error_code,
    CASE WHEN u.calls = 1 AND i.status = 'succeeded' AND i.duration_ms IS NOT NULL
      THEN usage_bucket(i.duration_ms, j.invocation_id IS NOT NULL) ELSE -1 END,
    sum(u.calls), coalesce(sum(u.gross), 0), coalesce(sum(u.fee), 0)
  FROM all_invocations i LEFT JOIN all_earnings l USING (invocation_id) LEFT JOIN jobs j USING (invocation_id)
  -- A part is noted behind the call, without its duration (usage_follow_return).
  CROSS JOIN LATERAL (VALUES
    (i.status, counted_code(i.invocation_id, i.error_code), 1, i.charged_units, l.fee_units),
    (i.status, coalesce(i.error_code, ''), 0, -i.returned_units, -l.returned_fee_units),
    ('disputed', '', 0, i.returned_units, l.returned_fee_units)) u(status, error_code, calls, gross, fee)
  WHERE i.status IN ('succeeded', 'failed', 'disputed') AND (u.calls = 1 OR i.returned_units IS NOT NULL)
  GROUP BY 1, 2, 3, 4;
  DELETE FROM buyer_day_disputes;
  DELETE FROM buyer_days;
  DELETE FROM buyer_day_sums;
  DELETE FROM counted_days;
  DELETE FROM counted_buyers;
  DELETE FROM counted_durations;
  INSERT INTO buyer_days (agent_id, day, buyer_user_id, succeeded, failed)
  SELECT i.agent_id, (i.invoked_at AT TIME ZONE 'UTC')::date, i.buyer_user_id,
    count(*) FILTER (WHERE i.status = 'succeeded' AND coalesce(2 * i.returned_units < i.charged_units, true)),
    count(*) FILTER (WHERE i.status <> 'succeeded' OR 2 * i.returned_units >= i.charged_units)
  FROM all_invocations i WHERE i.invoked_at > now() - interval '31 days' AND i.price_units > 0
    AND i.buyer_user_id <> i.developer_user_id AND (i.status = 'succeeded' AND i.charged_units > 0
      OR i.status IN ('failed', 'disputed') AND coalesce(call_fault(i.error_code), 'agent') = 'agent')
  GROUP BY 1, 2, 3;
  UPDATE buyer_days b SET unit_id = counted_unit(b.buyer_user_id, g.developer_user_id) FROM agents g WHERE g.agent_id = b.agent_id;
  INSERT INTO counted_days (agent_id, day, unit_id, succeeded, failed, bucket, job_bucket)
  SELECT b.agent_id, b.day, b.unit_id, sum(b.succeeded), sum(b.failed), min(f.bucket), min(f.job_bucket)
  FROM buyer_days b LEFT JOIN (
    -- The duration of the first success and of the first job of a day.
    SELECT i.agent_id, (i.invoked_at AT TIME ZONE 'UTC')::date AS day, i.buyer_user_id,
      (array_agg(usage_bucket(i.duration_ms, false) ORDER BY i.invocation_id) FILTER (WHERE j.invocation_id IS NULL))[1] AS bucket,
      (array_agg(usage_bucket(i.duration_ms, true) ORDER BY i.invocation_id) FILTER (WHERE j.invocation_id IS NOT NULL))[1] AS job_bucket
    FROM all_invocations i LEFT JOIN jobs j USING (invocation_id)
    WHERE i.invoked_at > now() - interval '31 days' AND i.status = 'succeeded' AND i.charged_units > 0 AND i.duration_ms IS NOT NULL
    GROUP BY 1, 2, 3) f USING (agent_id, day, buyer_user_id)
  WHERE b.unit_id IS NOT NULL GROUP BY 1, 2, 3;
  INSERT INTO counted_durations (agent_id, day, bucket, calls)
  SELECT c.agent_id, c.day, d.bucket, count(*) FROM counted_days c CROSS JOIN LATERAL (VALUES (c.bucket), (c.job_bucket)) d(bucket)
  WHERE d.bucket IS NOT NULL GROUP BY 1, 2, 3;
  INSERT INTO counted_buyers (agent_id, unit_id, last_day)
  SELECT c.agent_id, c.unit_id, max(c.day) FROM counted_days c GROUP BY 1, 2;
  INSERT INTO buyer_day_sums
  SELECT c.agent_id, c.day, sum(c.succeeded + least(c.failed, 1)), count(*),
    sum(round(c.succeeded::numeric / (c.succeeded + c.failed), 6))
  FROM counted_days c GROUP BY 1, 2;
  INSERT INTO agent_stats (agent_id, due_at) SELECT g.agent_id, clock_timestamp() FROM agents g
  ON CONFLICT (agent_id) DO UPDATE SET due_at = clock_timestamp();
END $$;

REVOKE ALL ON FUNCTION usage_recount FROM PUBLIC, market_app;
