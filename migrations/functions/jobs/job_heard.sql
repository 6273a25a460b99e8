-- Notes that the agent of a job has reported, with its progress and a sealed sentence, each null if it said none.
-- Progress never goes back. Outcomes: heard | early (the call runs, and is not a job yet) | over | unknown.
-- Called by: .
-- Locks: the job.
CREATE OR REPLACE FUNCTION job_heard(id text, reached real, sealed_message bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE jobs j SET heard_at = now(), look_at = now() + j.heartbeat_ms * interval '1 millisecond',
      progress = greatest(j.progress, reached), message = coalesce(sealed_message, j.message)
    WHERE j.invocation_id = id AND j.ended_at IS NULL;
  IF FOUND THEN RETURN 'heard'; END IF;
  RETURN coalesce((SELECT CASE WHEN i.status IN ('pending', 'running') THEN 'early' ELSE 'over' END
    FROM invocations i WHERE i.invocation_id = id), 'unknown');
END $$;

REVOKE ALL ON FUNCTION job_heard FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_heard TO market_app;
