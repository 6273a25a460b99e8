-- Adds waiting changes of usage to the days and the totals of their agents, and marks the figures of these agents as
-- due, and to the minutes and days of the whole marketplace. Minutes older than three hours are deleted. Returns how
-- many changes; 0 also while another process does it.
-- Called by: src/stores/catalogue/agent-stats.ts.
-- Locks: an advisory lock, so that one process writes the days and minutes, then figures of agents, in id order.
CREATE OR REPLACE FUNCTION usage_roll_up(most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE rolled bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203005) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM usage_deltas d
    WHERE d.ctid = ANY (ARRAY(SELECT w.ctid FROM usage_deltas w LIMIT most))
    RETURNING *
  ), days AS (
    INSERT INTO agent_days AS a
    SELECT t.agent_id, t.day, t.status, t.error_code, sum(t.calls), sum(t.gross_units), sum(t.fee_units)
    FROM taken t GROUP BY 1, 2, 3, 4
    ON CONFLICT (agent_id, day, status, error_code) DO UPDATE SET calls = a.calls + excluded.calls,
      gross_units = a.gross_units + excluded.gross_units, fee_units = a.fee_units + excluded.fee_units
  ), totals AS (
    INSERT INTO agent_totals AS a
    SELECT t.agent_id, t.status, t.error_code, sum(t.calls), sum(t.gross_units), sum(t.fee_units)
    FROM taken t GROUP BY 1, 2, 3
    ON CONFLICT (agent_id, status, error_code) DO UPDATE SET calls = a.calls + excluded.calls,
      gross_units = a.gross_units + excluded.gross_units, fee_units = a.fee_units + excluded.fee_units
  ), durations AS (
    INSERT INTO agent_day_durations AS a
    SELECT t.agent_id, t.day, usage_bucket(t.duration_ms, t.is_job) AS bucket, sum(t.calls)
    FROM taken t WHERE t.duration_ms IS NOT NULL GROUP BY 1, 2, 3
    ON CONFLICT (agent_id, day, bucket) DO UPDATE SET calls = a.calls + excluded.calls
  ), market AS (
    SELECT t.day, t.status, t.error_code, coalesce(usage_bucket(t.duration_ms, t.is_job), -1)::smallint AS bucket,
      sum(t.calls) AS calls, sum(t.gross_units) AS gross_units, sum(t.fee_units) AS fee_units
    FROM taken t GROUP BY 1, 2, 3, 4
  ), of_days AS (
    INSERT INTO market_days AS a SELECT m.* FROM market m
    ON CONFLICT (day, status, error_code, bucket) DO UPDATE SET calls = a.calls + excluded.calls,
      gross_units = a.gross_units + excluded.gross_units, fee_units = a.fee_units + excluded.fee_units
  ), of_minutes AS (
    INSERT INTO market_minutes AS a
    SELECT date_trunc('minute', clock_timestamp()), m.status, m.error_code, m.bucket, sum(m.calls), sum(m.gross_units),
      sum(m.fee_units)
    FROM market m GROUP BY m.status, m.error_code, m.bucket
    ON CONFLICT (minute, status, error_code, bucket) DO UPDATE SET calls = a.calls + excluded.calls,
      gross_units = a.gross_units + excluded.gross_units, fee_units = a.fee_units + excluded.fee_units
  ), past AS (
    DELETE FROM market_minutes p WHERE p.minute < now() - interval '3 hours'
  ), due AS (
    INSERT INTO agent_stats AS s (agent_id, due_at)
    SELECT g.agent_id, clock_timestamp() FROM agents g WHERE g.agent_id IN (SELECT t.agent_id FROM taken t)
    ORDER BY g.agent_id
    ON CONFLICT (agent_id) DO UPDATE SET due_at = clock_timestamp()
  )
  SELECT count(*) INTO rolled FROM taken;
  RETURN rolled;
END $$;

REVOKE ALL ON FUNCTION usage_roll_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION usage_roll_up TO market_app;
