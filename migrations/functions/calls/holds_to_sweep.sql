-- The open holds of calls that are no jobs: long ones by long_calls, young ones by the primary key. A few of a job may
-- be among them. While no process lists long calls, and at times, all open holds: nothing that the list lacks stays
-- behind.
-- Called by: calls_of_lost_owners, invocation_abandoned.
-- Locks: none.
CREATE OR REPLACE FUNCTION holds_to_sweep() RETURNS SETOF holds
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  now_ms   bigint := extract(epoch FROM now()) * 1000;
  -- The clock may have been set back since; then nothing young is left out.
  since_ms bigint := (SELECT least(s.last_value, now_ms - 5000) FROM long_calls_since s);
BEGIN
  -- Once in forty turns, or in more while many jobs wait (a page has about eighty): a turn reads fifty of their holds on
  -- average.
  IF since_ms < now_ms - 60000 OR random() * greatest(2000, pg_relation_size('long_calls') / 8192 * 80) < 50 THEN
    RETURN QUERY SELECT h.* FROM holds h WHERE h.state = 'open';
    RETURN;
  END IF;
  RETURN QUERY SELECT o.* FROM long_calls l, LATERAL (SELECT h.* FROM holds h
    WHERE h.invocation_id = l.invocation_id AND h.state = 'open' OFFSET 0) o
    WHERE NOT l.is_job AND l.invocation_id < long_calls_id(since_ms);
  RETURN QUERY SELECT h.* FROM holds h WHERE h.invocation_id >= long_calls_id(since_ms) AND h.state = 'open';
END $$;

REVOKE ALL ON FUNCTION holds_to_sweep FROM PUBLIC, market_app;
