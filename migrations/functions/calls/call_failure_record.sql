-- Notes what is known about a call that has failed: the phase, the HTTP status of the agent, the place that violates the
-- output schema, and the agent's own words, encrypted, which its buyer reads until they expire. A call whose input the
-- agent refused is counted as that from now on, not as an error of the agent.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION call_failure_record(
  id text, in_phase text, status integer, path text, what text, words bytea, words_ttl_ms bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM invocations i WHERE i.invocation_id = id AND i.status = 'failed') THEN
    RETURN;
  END IF;
  INSERT INTO call_failures (invocation_id, phase, http_status, schema_path, problem)
  VALUES (id, in_phase, status, path, what) ON CONFLICT DO NOTHING;
  IF FOUND AND refuses_input(status) THEN
    INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units)
    SELECT i.agent_id, (i.invoked_at AT TIME ZONE 'UTC')::date, i.status, c.code, c.calls, 0, 0
    FROM invocations i, (VALUES ('agent_error', -1), ('input_refused', 1)) c (code, calls)
    WHERE i.invocation_id = id AND i.error_code = 'agent_error';
  END IF;
  IF words IS NOT NULL THEN
    INSERT INTO invocation_answers (invocation_id, answer, expires_at)
    VALUES (id, words, now() + words_ttl_ms * interval '1 millisecond') ON CONFLICT DO NOTHING;
  END IF;
END $$;

REVOKE ALL ON FUNCTION call_failure_record FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION call_failure_record TO market_app;
