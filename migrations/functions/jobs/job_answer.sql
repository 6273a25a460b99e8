-- Keeps the buyer's answer to the open question of a job until it is delivered. The clock of the job goes on, and the
-- silence that its agent may keep begins anew. Outcomes: answered | repeated (the same answer) | other (another answer
-- was given before) | over (the call has ended, or the question has expired) | unknown (no such question).
-- Called by: src/stores/jobs/job-questions.ts.
-- Locks: the invocation, then the question, then the job, then the hold.
CREATE OR REPLACE FUNCTION job_answer(id text, asked_id text, sealed_answer bytea, sha256 text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE asked job_questions%ROWTYPE;
BEGIN
  -- The call cannot end before this is written.
  PERFORM FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  SELECT q.* INTO asked FROM job_questions q WHERE q.invocation_id = id AND q.question_id = asked_id;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF asked.answered_at IS NOT NULL THEN
    RETURN CASE WHEN asked.answer_sha256 = sha256 THEN 'repeated' ELSE 'other' END;
  END IF;
  IF NOT asked.is_open OR asked.expires_at <= now() OR job_is_closed(id) THEN
    RETURN 'over';
  END IF;
  UPDATE job_questions q SET is_open = false, answered_at = now(), answer = sealed_answer, answer_sha256 = sha256
    WHERE q.invocation_id = id AND q.question_id = asked_id;
  -- Without a job, the agent has asked before its 202 arrived. The workflow is woken at once; should that be lost, the
  -- loop wakes it.
  UPDATE jobs j SET ends_at = j.ends_at + greatest(now() - j.paused_at, interval '0'), heard_at = now(),
      look_at = now() + interval '5 seconds', paused_at = NULL,
      paused_ms = j.paused_ms + (extract(epoch FROM greatest(now() - j.paused_at, interval '0')) * 1000)::bigint
    WHERE j.invocation_id = id AND j.ended_at IS NULL AND j.paused_at IS NOT NULL;
  PERFORM job_lease(id);
  PERFORM pg_notify('a2a_task', id);
  RETURN 'answered';
END $$;

REVOKE ALL ON FUNCTION job_answer FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_answer TO market_app;
