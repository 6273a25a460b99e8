-- Lists open holds whose ids are no longer young in long_calls, and takes out those that have ended: all of them in
-- each turn while there are few, else a part. Returns the time, in ms, from which on calls in flight can be counted
-- without them once this has been committed (long_calls_begin); null while another process does it.
-- Called by: src/stores/calls/long-calls.ts.
-- Locks: an advisory lock, so that one process at a time does it.
CREATE OR REPLACE FUNCTION long_calls_find(young_ms integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  now_ms   bigint := extract(epoch FROM now()) * 1000;
  since_ms bigint := (SELECT s.last_value FROM long_calls_since s);
  until_ms bigint := now_ms - young_ms;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203006) THEN
    RETURN NULL;
  END IF;
  -- A count reads open holds alone, so what has ended may stay a while. A turn compares eight pages at random: jobs wait
  -- for days, and a turn shall not cost more for each of them.
  DELETE FROM long_calls l WHERE l.ctid = ANY (ARRAY(
    SELECT s.ctid FROM long_calls s TABLESAMPLE SYSTEM (least(100, 800.0 * 8192 / greatest(1, pg_relation_size('long_calls'))))
    WHERE NOT EXISTS (SELECT FROM holds h WHERE h.invocation_id = s.invocation_id AND h.state = 'open' OFFSET 0)));
  IF until_ms <= since_ms THEN
    RETURN since_ms;
  ELSIF until_ms - since_ms < 60000 THEN
    -- The calls since the last time, by the primary key.
    INSERT INTO long_calls (invocation_id, buyer_user_id, agent_id, is_job)
      SELECT h.invocation_id, h.buyer_user_id, h.agent_id,
        EXISTS (SELECT FROM jobs j WHERE j.invocation_id = h.invocation_id OFFSET 0) FROM holds h
      WHERE h.invocation_id >= long_calls_id(since_ms) AND h.invocation_id < long_calls_id(until_ms) AND h.state = 'open'
      ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO long_calls (invocation_id, buyer_user_id, agent_id, is_job)
      SELECT h.invocation_id, h.buyer_user_id, h.agent_id,
        EXISTS (SELECT FROM jobs j WHERE j.invocation_id = h.invocation_id OFFSET 0) FROM holds h
      WHERE h.state = 'open' AND h.lease_until > '-infinity' AND h.invocation_id < long_calls_id(until_ms)
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN until_ms;
END $$;

REVOKE ALL ON FUNCTION long_calls_find FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION long_calls_find TO market_app;
