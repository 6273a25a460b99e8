-- Keeps the answer or the failure that the agent of a job has called back, until the call ends. It may come before the
-- agent's 202 has arrived. The first one counts, and its hold stays for an hour at least, so that the sweep does not refund
-- what is still to be settled. Outcomes: added | repeated (the same webhook id) | over | full (too much of its
-- agent waits for settlement; a small end always has room) | unknown.
-- Called by: src/stores/jobs/job-callbacks.ts.
-- Locks: the invocation, then the end, then the job, then the hold.
CREATE OR REPLACE FUNCTION job_end_add(id text, webhook text, end_kind text, sealed_body bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  before text;
  agent  text;
BEGIN
  -- The call cannot end before this is written.
  SELECT i.status, i.agent_id INTO before, agent FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  IF before IS NULL THEN RETURN job_missing(id); END IF;
  IF before NOT IN ('pending', 'running') OR EXISTS (SELECT FROM jobs j WHERE j.invocation_id = id AND j.given_up_at IS NOT NULL) THEN
    RETURN 'over';
  END IF;
  IF octet_length(sealed_body) > 64 * 1024 AND NOT EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id)
     AND (SELECT coalesce(sum(octet_length(e.body)), 0) FROM job_ends e WHERE e.agent_id = agent) > 100 * 1024 * 1024 THEN
    RETURN 'full';
  END IF;
  INSERT INTO job_ends (invocation_id, webhook_id, kind, body, agent_id) VALUES (id, webhook, end_kind, sealed_body, agent)
    ON CONFLICT (invocation_id) DO NOTHING;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id AND e.webhook_id = webhook)
      THEN 'repeated' ELSE 'over' END;
  END IF;
  -- The workflow is woken in the turn of its developer; should that be lost, the loop wakes it.
  UPDATE jobs j SET heard_at = now(), look_at = now() + interval '15 seconds'
    WHERE j.invocation_id = id AND j.ended_at IS NULL;
  UPDATE holds h SET lease_until = now() + interval '1 hour'
    WHERE h.invocation_id = id AND h.state = 'open' AND h.lease_until < now() + interval '1 hour'
      AND EXISTS (SELECT FROM jobs j WHERE j.invocation_id = id);
  RETURN 'added';
END $$;

REVOKE ALL ON FUNCTION job_end_add FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_end_add TO market_app;
