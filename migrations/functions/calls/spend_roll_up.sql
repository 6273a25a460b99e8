-- Adds ended calls to the days of their buyers, by the member who made them, and to those of the pairs of their metadata, in the order of their ids. until: calls from this id on may still be
-- inserted. Calls that are open are passed, and added once they have ended (spend_waiting). Returns how many calls were
-- passed; 0 also while another process does it.
-- Called by: src/stores/billing/spend.ts.
-- Locks: an advisory lock, so that one process writes the days.
CREATE OR REPLACE FUNCTION spend_roll_up(until text, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
  reached text;
  rolled  bigint;
  latest  text;
  late    text[] := '{}';
  waiting text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203012) THEN
    RETURN 0;
  END IF;
  SELECT r.invocation_id INTO STRICT reached FROM spend_reached r;
  -- One row per statement, because an array cannot select partitions.
  FOR waiting IN SELECT w.invocation_id FROM spend_waiting w ORDER BY w.looked_at LIMIT most LOOP
    IF (SELECT i.status IN ('pending', 'running') FROM invocations i WHERE i.invocation_id = waiting) THEN
      UPDATE spend_waiting w SET looked_at = now() WHERE w.invocation_id = waiting;
    ELSE
      late := late || waiting;
    END IF;
  END LOOP;
  DELETE FROM spend_waiting w WHERE w.invocation_id = ANY (late);
  WITH passed AS MATERIALIZED (
    SELECT i.invocation_id, i.buyer_user_id, (i.invoked_at AT TIME ZONE 'UTC')::date AS day, i.agent_id,
      coalesce(i.key_id, '') AS key_id, coalesce(i.member_user_id, '') AS member_user_id, i.charged_units, i.metadata, i.status IN ('pending', 'running') AS is_open
    FROM invocations i WHERE i.invocation_id > reached AND i.invocation_id < until
    ORDER BY i.invocation_id LIMIT most
  ), open AS (
    INSERT INTO spend_waiting (invocation_id, buyer_user_id)
    SELECT p.invocation_id, p.buyer_user_id FROM passed p WHERE p.is_open
  ), ended AS (
    SELECT p.buyer_user_id, p.day, p.agent_id, p.key_id, p.member_user_id, p.charged_units, p.metadata FROM passed p WHERE NOT p.is_open
    UNION ALL
    SELECT i.buyer_user_id, (i.invoked_at AT TIME ZONE 'UTC')::date, i.agent_id, coalesce(i.key_id, ''),
      coalesce(i.member_user_id, ''), i.charged_units, i.metadata
    FROM unnest(late) l(id), LATERAL (SELECT * FROM invocations c WHERE c.invocation_id = l.id OFFSET 0) i
  ), tags AS (
    INSERT INTO spend_tag_days AS d (buyer_user_id, day, tag, agent_id, key_id, member_user_id, calls, charged_units)
    SELECT e.buyer_user_id, e.day, t.key || '=' || t.value, e.agent_id, e.key_id, e.member_user_id, count(*), sum(e.charged_units)
    FROM ended e, jsonb_each_text(e.metadata) t WHERE e.charged_units > 0 GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (buyer_user_id, day, tag, agent_id, key_id, member_user_id) DO UPDATE
      SET calls = d.calls + excluded.calls, charged_units = d.charged_units + excluded.charged_units
  ), days AS (
    INSERT INTO spend_days AS d (buyer_user_id, day, agent_id, key_id, member_user_id, calls, charged_units)
    SELECT e.buyer_user_id, e.day, e.agent_id, e.key_id, e.member_user_id, count(*), sum(e.charged_units)
    FROM ended e WHERE e.charged_units > 0 GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (buyer_user_id, day, agent_id, key_id, member_user_id) DO UPDATE
      SET calls = d.calls + excluded.calls, charged_units = d.charged_units + excluded.charged_units
  )
  SELECT count(*), max(p.invocation_id) INTO rolled, latest FROM passed p;
  IF rolled > 0 THEN
    UPDATE spend_reached SET invocation_id = latest;
  END IF;
  RETURN rolled;
END $$;

REVOKE ALL ON FUNCTION spend_roll_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION spend_roll_up TO market_app;
