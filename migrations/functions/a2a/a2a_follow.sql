-- Moves a task with the status of its call, writes the event and notifies subscribers, in the transaction that ends
-- the call. The input goes when the task ends, and with it what is stored of a job; the message expires with the
-- agent's retention. The address of a job that has ended without its agent stays stored until the agent was notified, by
-- the workflow of the job, which is woken again in case it was lost.
-- Called by: trigger invocations_task on invocations.
-- Locks: the task, after the invocation, then the job, its end and its questions.
CREATE OR REPLACE FUNCTION a2a_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  next_state text := a2a_state_of(OLD.status, NEW.status, NEW.error_code);
  task       a2a_tasks%ROWTYPE;
  -- Whether the agent of a job hears of its end
  hears      boolean;
BEGIN
  IF next_state IS NULL THEN RETURN NULL; END IF;
  UPDATE a2a_tasks t SET state = next_state, state_at = clock_timestamp(), last_seq = t.last_seq + 1,
      input = CASE WHEN next_state = 'WORKING' THEN t.input END,
      acceptance = CASE WHEN next_state = 'WORKING' THEN t.acceptance END,
      expires_at = CASE WHEN next_state <> 'WORKING' THEN now() + interval '1 day' * (
        SELECT greatest(1, v.retention_days) FROM agent_versions v WHERE v.version_id = NEW.version_id) END
    WHERE t.task_id = NEW.invocation_id RETURNING * INTO task;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO a2a_task_events (task_id, seq, state, at)
    VALUES (task.task_id, task.last_seq, task.state, task.state_at);
  PERFORM pg_notify('a2a_task', task.task_id);
  IF next_state <> 'WORKING' THEN
    hears := next_state IN ('CANCELED', 'FAILED')
      AND coalesce(NEW.error_code, '') NOT IN ('agent_error', 'output_schema_mismatch', 'acceptance_failed', 'acceptance_declined');
    UPDATE jobs j SET ended_at = now(), message = NULL, location = CASE WHEN hears THEN j.location END,
        look_at = CASE WHEN hears AND j.location IS NOT NULL THEN now() + interval '2 minutes' END
      WHERE j.invocation_id = task.task_id;
    DELETE FROM job_ends e WHERE e.invocation_id = task.task_id;
    UPDATE job_questions q SET is_open = false, question = NULL, answer = NULL
      WHERE q.invocation_id = task.task_id AND (q.is_open OR q.question IS NOT NULL);
  END IF;
  -- When another process ends the task, the process that runs it closes the connection to the agent.
  IF next_state IN ('CANCELED', 'FAILED') THEN PERFORM pg_notify('invocation_settled', task.task_id); END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION a2a_follow FROM PUBLIC, market_app;
