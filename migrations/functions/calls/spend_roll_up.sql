-- Adds ended calls to the days of their buyers, in the order of their ids. until: calls from this id on may still be
-- inserted. An open call stops the roll-up before it, so that no call is left out. Returns how many calls were read; 0
-- also while another process does it.
-- Called by: src/stores/billing/spend.ts.
-- Locks: an advisory lock, so that one process writes the days.
CREATE OR REPLACE FUNCTION spend_roll_up(until text, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
  reached text;
  ends    text;
  rolled  bigint;
  latest  text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203012) THEN
    RETURN 0;
  END IF;
  SELECT r.invocation_id INTO STRICT reached FROM spend_reached r;
  SELECT least(until,
    (SELECT min(h.invocation_id) FROM holds h WHERE h.state = 'open' AND h.lease_until > '-infinity'),
    (SELECT min(p.invocation_id) FROM pending_calls p)) INTO ends;
  WITH ended AS MATERIALIZED (
    SELECT i.invocation_id, i.buyer_user_id, (i.invoked_at AT TIME ZONE 'UTC')::date AS day, i.agent_id,
      coalesce(i.key_id, '') AS key_id, i.charged_units
    FROM invocations i WHERE i.invocation_id > reached AND i.invocation_id < ends
    ORDER BY i.invocation_id LIMIT most
  ), days AS (
    INSERT INTO spend_days AS d
    SELECT e.buyer_user_id, e.day, e.agent_id, e.key_id, count(*), sum(e.charged_units)
    FROM ended e WHERE e.charged_units > 0 GROUP BY 1, 2, 3, 4
    ON CONFLICT (buyer_user_id, day, agent_id, key_id) DO UPDATE
      SET calls = d.calls + excluded.calls, charged_units = d.charged_units + excluded.charged_units
  )
  SELECT count(*), max(e.invocation_id) INTO rolled, latest FROM ended e;
  IF rolled > 0 THEN
    UPDATE spend_reached SET invocation_id = latest;
  END IF;
  RETURN rolled;
END $$;

REVOKE ALL ON FUNCTION spend_roll_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION spend_roll_up TO market_app;
