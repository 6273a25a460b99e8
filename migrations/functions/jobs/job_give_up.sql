-- Decides between the end of a job whose time is over and what its agent calls back in the same moment. Returns false if
-- the agent has called its end back before; afterwards nothing is accepted from it.
-- Called by: src/stores/jobs/jobs.ts.
-- Locks: the invocation, then the job.
CREATE OR REPLACE FUNCTION job_give_up(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id) THEN RETURN false; END IF;
  UPDATE jobs j SET given_up_at = coalesce(j.given_up_at, now()) WHERE j.invocation_id = id;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION job_give_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_give_up TO market_app;
