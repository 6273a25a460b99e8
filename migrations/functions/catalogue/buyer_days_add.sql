-- Adds outcomes of paid calls to the days of their buyers, and those of unrelated buyers to what figures count, and marks the figures and the
-- counters of the agents as due. An item has agent_id, day (null: today), buyer_user_id, succeeded, refused, failed and
-- the code of a failure, the units that its successes are charged, and the durations of its first success and its first job; units become a flow of money
-- from the buyer to the developer; each buyer of a day stands in one item. The first call of a buyer in a day with an outcome
-- opens this outcome for verification.
-- Called by: buyer_days_dispute, src/stores/calls/call-tallies.ts.
-- Locks: flows of money, agent_call_tallies, days of buyers, those of counted_days_add, agent_stats, each in the order of its key.
CREATE OR REPLACE FUNCTION buyer_days_add(items jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  agents_due text[];
  counted    jsonb;
BEGIN
  SELECT array_agg(DISTINCT i.agent_id ORDER BY i.agent_id) INTO agents_due FROM jsonb_to_recordset(items) AS i(agent_id text);
  INSERT INTO agent_call_tallies (agent_id) SELECT u.agent_id FROM unnest(agents_due) u(agent_id)
  ON CONFLICT (agent_id) DO UPDATE SET is_due = true;
  INSERT INTO money_flows AS f (payer_user_id, developer_user_id, month, units)
  SELECT i.buyer_user_id, g.developer_user_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, sum(i.units)
    FROM jsonb_to_recordset(items) AS i(agent_id text, buyer_user_id text, units bigint) JOIN agents g USING (agent_id)
   WHERE i.units > 0 AND i.buyer_user_id <> g.developer_user_id GROUP BY 1, 2, 3 ORDER BY 1, 2
  ON CONFLICT (payer_user_id, developer_user_id, month) DO UPDATE SET units = f.units + excluded.units, is_due = true;
  WITH wanted AS (
    SELECT i.*, coalesce(i.day, (now() AT TIME ZONE 'UTC')::date) AS on_day,
      -- Looked for once a day and buyer.
      CASE WHEN b.agent_id IS NULL THEN counted_unit(i.buyer_user_id, g.developer_user_id) ELSE b.unit_id END AS unit_id
    FROM jsonb_to_recordset(items) AS i(agent_id text, day date, buyer_user_id text, succeeded int, refused int, failed int,
      code text, duration_ms int, job_duration_ms int)
    LEFT JOIN agents g ON g.agent_id = i.agent_id
    LEFT JOIN buyer_days b ON b.agent_id = i.agent_id AND b.buyer_user_id = i.buyer_user_id
      AND b.day = coalesce(i.day, (now() AT TIME ZONE 'UTC')::date)
  ), added AS (
    INSERT INTO buyer_days AS b (agent_id, day, buyer_user_id, succeeded, refused, failed, code, unit_id,
      open_succeeded, open_refused, open_failed)
    SELECT w.agent_id, w.on_day, w.buyer_user_id, w.succeeded, w.refused, w.failed, w.code, w.unit_id,
      w.unit_id IS NOT NULL AND w.succeeded > 0, w.unit_id IS NOT NULL AND w.refused > 0, w.unit_id IS NOT NULL AND w.code IS NOT NULL
    FROM wanted w ORDER BY w.agent_id, w.on_day, w.buyer_user_id
    ON CONFLICT (agent_id, day, buyer_user_id) DO UPDATE SET
      succeeded = b.succeeded + excluded.succeeded, refused = b.refused + excluded.refused, failed = b.failed + excluded.failed,
      code = coalesce(excluded.code, b.code),
      open_succeeded = b.open_succeeded OR b.unit_id IS NOT NULL AND b.succeeded = 0 AND excluded.succeeded > 0,
      open_refused = b.open_refused OR b.unit_id IS NOT NULL AND b.refused = 0 AND excluded.refused > 0,
      open_failed = b.open_failed OR b.unit_id IS NOT NULL AND b.code IS NULL AND excluded.code IS NOT NULL
    -- Calls whose request the agent refused count for verification alone.
    RETURNING new.agent_id, new.day, new.buyer_user_id, new.unit_id, new.succeeded - coalesce(old.succeeded, 0) AS succeeded,
      new.failed - coalesce(old.failed, 0) AS failed
  )
  SELECT jsonb_agg(jsonb_build_object('agent_id', a.agent_id, 'day', a.day, 'unit_id', a.unit_id, 'succeeded', a.succeeded,
    'failed', a.failed, 'bucket', usage_bucket(w.duration_ms, false), 'job_bucket', usage_bucket(w.job_duration_ms, true)))
    INTO counted FROM added a JOIN wanted w ON w.agent_id = a.agent_id AND w.on_day = a.day AND w.buyer_user_id = a.buyer_user_id
   WHERE a.unit_id IS NOT NULL AND (a.succeeded <> 0 OR a.failed <> 0);
  IF counted IS NOT NULL THEN
    PERFORM counted_days_add(counted);
  END IF;
  INSERT INTO agent_stats (agent_id, due_at)
  SELECT g.agent_id, clock_timestamp() FROM agents g WHERE g.agent_id = ANY (agents_due) ORDER BY g.agent_id
  ON CONFLICT (agent_id) DO UPDATE SET due_at = clock_timestamp();
END $$;

REVOKE ALL ON FUNCTION buyer_days_add FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION buyer_days_add TO market_app;
