-- Whether the tests of at least most different buyers failed at an agent, with one of this buyer that is failing now.
-- Related accounts are one buyer, and those that are related to the developer are none (counted_unit). It steps from
-- caller to caller in an index, 200 times at most, so that it costs the same after millions of calls.
-- Called by: src/stores/calls/acceptances.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION acceptance_buyers_differ(agent text, buyer text, most integer) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  developer text := (SELECT a.developer_user_id FROM agents a WHERE a.agent_id = agent);
  units text[] := array_remove(ARRAY[counted_unit(buyer, developer)], NULL);
  unit  text;
  last  text := '';
BEGIN
  FOR step IN 1 .. 200 LOOP
    EXIT WHEN cardinality(units) >= most;
    SELECT min(c.author_user_id) INTO last FROM call_acceptances c
      WHERE c.agent_id = agent AND NOT c.passed AND c.author_user_id > last;
    EXIT WHEN last IS NULL;
    unit := counted_unit(last, developer);
    IF unit <> ALL (units) THEN units := units || unit; END IF;
  END LOOP;
  RETURN cardinality(units) >= most;
END $$;

REVOKE ALL ON FUNCTION acceptance_buyers_differ FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION acceptance_buyers_differ TO market_app;
