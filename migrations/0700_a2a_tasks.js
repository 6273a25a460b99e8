/**
 * Tasks of agents for agents (contract, "MCP, A2A"). A task is a call of surface `a2a` that a worker carries out: its
 * id is the invocation's, its money is in the invocation's hold, and its state follows the invocation's status by a
 * trigger, so that every end (settle, refund, sweep, dispute, cancel) is an event of the task, in one transaction.
 *
 *   state: SUBMITTED → WORKING → COMPLETED | FAILED | CANCELED;  REJECTED from the start, without an invocation.
 *
 * What a worker needs (the input) and what a reader may want (the message) lie here encrypted; the input goes when the
 * task ends, the message when it expires.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE a2a_tasks (
    task_id         text PRIMARY KEY CHECK (task_id ~ '^inv_[0-9a-f]{32}$'),
    agent_id        text NOT NULL,
    buyer_user_id   text NOT NULL,
    caller_user_id  text NOT NULL,
    context_id      text NOT NULL CHECK (length(context_id) BETWEEN 1 AND 255),
    trace_id        text NOT NULL,
    hops            integer NOT NULL DEFAULT 0,
    state           text NOT NULL DEFAULT 'SUBMITTED' CHECK (state IN
      ('SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'REJECTED')),
    state_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seq        integer NOT NULL DEFAULT 1,
    reason          jsonb,
    input           bytea,
    message         bytea,
    started_at      timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz,
    CONSTRAINT a2a_tasks_reason CHECK ((state = 'REJECTED') = (reason IS NOT NULL))
  );
  COMMENT ON COLUMN a2a_tasks.buyer_user_id IS 'Whose wallet pays';
  COMMENT ON COLUMN a2a_tasks.caller_user_id IS 'Who sent it, and may read and cancel it';
  COMMENT ON COLUMN a2a_tasks.reason IS 'Why it was rejected: {code, message}, and what is lacking';
  COMMENT ON COLUMN a2a_tasks.input IS 'Envelope-encrypted input until the task ends; the context is the task id';
  COMMENT ON COLUMN a2a_tasks.message IS 'Envelope-encrypted A2A message that the task came with; the context is the task id';
  COMMENT ON COLUMN a2a_tasks.started_at IS 'When the engine confirmed its workflow';
  CREATE INDEX a2a_tasks_caller ON a2a_tasks (caller_user_id, agent_id, state_at DESC, task_id DESC);
  CREATE INDEX a2a_tasks_unstarted ON a2a_tasks (created_at) WHERE started_at IS NULL AND state = 'SUBMITTED';
  CREATE INDEX a2a_tasks_expiry ON a2a_tasks (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE a2a_task_events (
    task_id  text NOT NULL REFERENCES a2a_tasks ON DELETE CASCADE,
    seq      integer NOT NULL,
    state    text NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (task_id, seq)
  );
  COMMENT ON TABLE a2a_task_events IS 'What subscribers are told, in order; the first event is the state it began with';

  CREATE FUNCTION a2a_begin() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    INSERT INTO a2a_task_events (task_id, seq, state, at) VALUES (NEW.task_id, 1, NEW.state, NEW.state_at);
    RETURN NULL;
  END $$;
  CREATE TRIGGER a2a_tasks_begin AFTER INSERT ON a2a_tasks FOR EACH ROW EXECUTE FUNCTION a2a_begin();

  -- The state that a status means; null for one that changes nothing. A dispute after the success leaves COMPLETED.
  CREATE FUNCTION a2a_state_of(old_status text, new_status text, error_code text) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
      WHEN new_status = 'running' THEN 'WORKING'
      WHEN new_status = 'succeeded' THEN 'COMPLETED'
      WHEN new_status = 'failed' AND error_code = 'canceled' THEN 'CANCELED'
      WHEN new_status = 'failed' THEN 'FAILED'
      WHEN new_status = 'disputed' AND old_status <> 'succeeded' THEN 'CANCELED' END
  $$;

  CREATE FUNCTION a2a_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    next_state text := a2a_state_of(OLD.status, NEW.status, NEW.error_code);
    task       a2a_tasks%ROWTYPE;
  BEGIN
    IF next_state IS NULL THEN RETURN NULL; END IF;
    UPDATE a2a_tasks t SET state = next_state, state_at = clock_timestamp(), last_seq = t.last_seq + 1,
        input = CASE WHEN next_state = 'WORKING' THEN t.input END,
        expires_at = CASE WHEN next_state <> 'WORKING' THEN now() + interval '1 day' * (
          SELECT greatest(1, v.retention_days) FROM agent_versions v WHERE v.version_id = NEW.version_id) END
      WHERE t.task_id = NEW.invocation_id RETURNING * INTO task;
    IF NOT FOUND THEN RETURN NULL; END IF;
    INSERT INTO a2a_task_events (task_id, seq, state, at)
      VALUES (task.task_id, task.last_seq, task.state, task.state_at);
    PERFORM pg_notify('a2a_task', task.task_id);
    -- The process that carries it out hangs up on the agent when the task was ended by somebody else.
    IF next_state IN ('CANCELED', 'FAILED') THEN PERFORM pg_notify('invocation_settled', task.task_id); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER invocations_a2a AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.surface = 'a2a' AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION a2a_follow();

  -- One batch: messages past their time, and tasks that were rejected a day ago and hold nothing else.
  CREATE FUNCTION a2a_purge(most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE purged integer; removed integer;
  BEGIN
    UPDATE a2a_tasks t SET message = NULL, expires_at = NULL WHERE t.task_id IN (
      SELECT e.task_id FROM a2a_tasks e WHERE e.expires_at <= now() AND e.state <> 'REJECTED'
      ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS purged = ROW_COUNT;
    DELETE FROM a2a_tasks t WHERE t.task_id IN (
      SELECT e.task_id FROM a2a_tasks e WHERE e.expires_at <= now() AND e.state = 'REJECTED'
      ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN purged + removed;
  END $$;

  REVOKE ALL ON FUNCTION a2a_begin, a2a_follow, a2a_state_of, a2a_purge FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION a2a_purge TO market_app;
  GRANT SELECT, INSERT, UPDATE (started_at) ON a2a_tasks TO market_app;
  GRANT SELECT ON a2a_task_events TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER invocations_a2a ON invocations;
  DROP FUNCTION a2a_purge, a2a_follow, a2a_state_of;
  DROP TABLE a2a_task_events; DROP TABLE a2a_tasks;
  DROP FUNCTION a2a_begin;
`);
