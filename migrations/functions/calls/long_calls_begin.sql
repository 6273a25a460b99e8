-- From this time on, in ms, calls in flight are counted by their holds alone: earlier ones are in long_calls. It never
-- goes back.
-- Called by: src/stores/calls/long-calls.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION long_calls_begin(since_ms bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM setval('long_calls_since', greatest(since_ms, s.last_value)) FROM long_calls_since s
    WHERE since_ms <= extract(epoch FROM now()) * 1000;
END $$;

REVOKE ALL ON FUNCTION long_calls_begin FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION long_calls_begin TO market_app;
