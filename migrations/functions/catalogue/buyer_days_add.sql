-- Adds outcomes of paid calls to the days of their buyers, and to the sums of these days, and marks the figures and the
-- counters of the agents as due. An item has agent_id, day (null: today), buyer_user_id, succeeded, refused, failed and
-- the code of a failure; each buyer of a day stands in one item. The first call of a buyer in a day with an outcome
-- opens this outcome for verification.
-- Called by: buyer_days_dispute, src/stores/calls/call-tallies.ts.
-- Locks: agent_call_tallies, days of buyers, sums, agent_stats, each in the order of its key.
CREATE OR REPLACE FUNCTION buyer_days_add(items jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE agents_due text[];
BEGIN
  SELECT array_agg(DISTINCT i.agent_id ORDER BY i.agent_id) INTO agents_due FROM jsonb_to_recordset(items) AS i(agent_id text);
  INSERT INTO agent_call_tallies (agent_id) SELECT u.agent_id FROM unnest(agents_due) u(agent_id)
  ON CONFLICT (agent_id) DO UPDATE SET is_due = true;
  WITH added AS (
    INSERT INTO buyer_days AS b (agent_id, day, buyer_user_id, succeeded, refused, failed, code,
      open_succeeded, open_refused, open_failed)
    SELECT i.agent_id, coalesce(i.day, (now() AT TIME ZONE 'UTC')::date) AS on_day, i.buyer_user_id, i.succeeded, i.refused, i.failed,
      i.code, i.succeeded > 0, i.refused > 0, i.code IS NOT NULL
    FROM jsonb_to_recordset(items) AS i(agent_id text, day date, buyer_user_id text, succeeded int, refused int, failed int,
      code text)
    ORDER BY i.agent_id, on_day, i.buyer_user_id
    ON CONFLICT (agent_id, day, buyer_user_id) DO UPDATE SET
      succeeded = b.succeeded + excluded.succeeded, refused = b.refused + excluded.refused, failed = b.failed + excluded.failed,
      code = coalesce(excluded.code, b.code),
      open_succeeded = b.open_succeeded OR b.succeeded = 0 AND excluded.succeeded > 0,
      open_refused = b.open_refused OR b.refused = 0 AND excluded.refused > 0,
      open_failed = b.open_failed OR b.code IS NULL AND excluded.code IS NOT NULL
    RETURNING new.agent_id, new.day,
      -- Calls whose request the agent refused count for verification alone.
      (new.succeeded + new.failed > 0)::integer - coalesce(old.succeeded + old.failed > 0, false)::integer AS buyers,
      new.succeeded + least(new.failed, 1) - coalesce(old.succeeded + least(old.failed, 1), 0) AS calls,
      coalesce(round(new.succeeded::numeric / nullif(new.succeeded + new.failed, 0), 6), 0)
        - coalesce(round(old.succeeded::numeric / nullif(old.succeeded + old.failed, 0), 6), 0) AS shares
  )
  INSERT INTO buyer_day_sums AS s (agent_id, day, calls, buyers, shares)
  SELECT a.agent_id, a.day, sum(a.calls), sum(a.buyers), sum(a.shares) FROM added a GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (agent_id, day) DO UPDATE SET calls = s.calls + excluded.calls, buyers = s.buyers + excluded.buyers,
    shares = s.shares + excluded.shares;
  INSERT INTO agent_stats (agent_id, due_at)
  SELECT g.agent_id, clock_timestamp() FROM agents g WHERE g.agent_id = ANY (agents_due) ORDER BY g.agent_id
  ON CONFLICT (agent_id) DO UPDATE SET due_at = clock_timestamp();
END $$;

REVOKE ALL ON FUNCTION buyer_days_add FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION buyer_days_add TO market_app;
