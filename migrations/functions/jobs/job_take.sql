-- Writes that an agent has accepted a call as a job, and extends the lease of its hold to an hour after the job's end. A
-- repetition restores the lease. A question that came before the 202 stops the clock from the beginning. Outcomes: taken |
-- resolved (the call has ended).
-- Called by: src/stores/jobs/jobs.ts.
-- Locks: the invocation, then the hold, then the job, then its line of long calls.
CREATE OR REPLACE FUNCTION job_take(
  id text, ms_taken integer, sealed_location bytea, most_ms bigint, is_budgeted boolean, silence_ms integer
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  ends timestamptz := now() + most_ms * interval '1 millisecond';
BEGIN
  -- job_ask waits for this.
  PERFORM FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  PERFORM FROM holds h WHERE h.invocation_id = id AND h.state = 'open' FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'resolved'; END IF;
  INSERT INTO jobs (invocation_id, buyer_user_id, agent_id, took_ms, ends_at, is_budgeted, heartbeat_ms, location, look_at,
    paused_at)
  SELECT id, i.buyer_user_id, i.agent_id, ms_taken, ends, is_budgeted, silence_ms, sealed_location,
    coalesce(q.expires_at + interval '5 seconds', now() + silence_ms * interval '1 millisecond'),
    CASE WHEN q.is_open THEN now() END
    FROM invocations i LEFT JOIN job_questions q ON q.invocation_id = i.invocation_id AND q.is_open
    WHERE i.invocation_id = id
  ON CONFLICT (invocation_id) DO NOTHING;
  UPDATE long_calls l SET is_job = true WHERE l.invocation_id = id AND NOT l.is_job;
  PERFORM job_lease(id);
  PERFORM pg_notify('a2a_task', id);
  RETURN 'taken';
END $$;

REVOKE ALL ON FUNCTION job_take FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_take TO market_app;
