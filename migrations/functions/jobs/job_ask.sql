-- Keeps a question of an agent for the buyer of its call, and stops the clock of the job. It may come before the agent's
-- 202 has arrived. Outcomes: asked | repeated (the same question id) | open (another question is open) | many (the call
-- had as many as it may have) | suspended (the agent is) | over (ended, or its end was called back) | unknown.
-- Called by: src/stores/jobs/job-questions.ts.
-- Locks: the invocation, then the job, then the hold.
CREATE OR REPLACE FUNCTION job_ask(id text, asked_id text, sealed_question bytea, sha256 text, window_ms bigint, most integer)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  call    invocations%ROWTYPE;
  expires timestamptz := now() + window_ms * interval '1 millisecond';
BEGIN
  -- The call cannot end, and job_take cannot run, before this is written.
  SELECT i.* INTO call FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN job_missing(id); END IF;
  IF NOT call.is_task THEN RETURN 'unknown'; END IF;
  IF call.status NOT IN ('pending', 'running') OR job_is_closed(id) THEN
    RETURN 'over';
  END IF;
  IF EXISTS (SELECT FROM job_questions q WHERE q.invocation_id = id AND q.question_id = asked_id) THEN
    RETURN 'repeated';
  END IF;
  IF EXISTS (SELECT FROM job_questions q WHERE q.invocation_id = id AND q.is_open) THEN RETURN 'open'; END IF;
  IF (SELECT count(*) FROM job_questions q WHERE q.invocation_id = id) >= most THEN RETURN 'many'; END IF;
  IF EXISTS (SELECT FROM agents a WHERE a.agent_id = call.agent_id AND a.status = 'suspended') THEN
    RETURN 'suspended';
  END IF;
  INSERT INTO job_questions (invocation_id, question_id, buyer_user_id, question, question_sha256, expires_at)
    VALUES (id, asked_id, call.buyer_user_id, sealed_question, sha256, expires);
  -- The workflow waits for the end of the question, however silent the agent is.
  UPDATE jobs j SET paused_at = now(), heard_at = now(), look_at = expires + interval '5 seconds'
    WHERE j.invocation_id = id AND j.ended_at IS NULL;
  PERFORM job_lease(id);
  -- Events are not encrypted: the prompt is added when this one is sent.
  PERFORM event_record('invocation.input_required', jsonb_build_object(
      'invocation_id', id, 'agent_id', call.agent_id, 'version', call.version, 'surface', call.surface,
      'question_id', asked_id, 'asked_at', event_time(now()), 'expires_at', event_time(expires)),
    ARRAY[call.buyer_user_id], call.agent_id);
  PERFORM a2a_push_queue(id, NULL, false);
  PERFORM pg_notify('a2a_task', id);
  RETURN 'asked';
END $$;

REVOKE ALL ON FUNCTION job_ask FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_ask TO market_app;
