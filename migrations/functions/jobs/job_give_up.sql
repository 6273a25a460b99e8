-- Decides between the end of a job that seems to be over and what happens in the same moment: its agent reports or calls its
-- end back, or its buyer answers the question. Returns false if the job is not over any more; after true, nothing is accepted
-- from its agent or buyer.
-- Called by: src/stores/jobs/jobs.ts.
-- Locks: the invocation, then the job.
CREATE OR REPLACE FUNCTION job_give_up(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  job     jobs%ROWTYPE;
  over_at timestamptz;
BEGIN
  PERFORM FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id) THEN RETURN false; END IF;
  -- job_heard, which locks no more than the job, waits for this, or has come before.
  SELECT j.* INTO job FROM jobs j WHERE j.invocation_id = id FOR NO KEY UPDATE;
  IF NOT FOUND OR job.given_up_at IS NOT NULL THEN RETURN true; END IF;
  over_at := CASE WHEN job.paused_at IS NULL THEN least(job.ends_at, job.heard_at + job.heartbeat_ms * interval '1 millisecond')
    ELSE (SELECT q.expires_at FROM job_questions q WHERE q.invocation_id = id AND q.is_open) END;
  -- The time of now, not that at which this began to wait.
  IF over_at > clock_timestamp() THEN RETURN false; END IF;
  UPDATE jobs j SET given_up_at = now() WHERE j.invocation_id = id;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION job_give_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_give_up TO market_app;
