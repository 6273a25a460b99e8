-- Tasks of agents for agents (contract, "MCP, A2A"). A task is a call of surface `a2a` that a worker carries out: its
-- id is the id of the invocation, its money is in the invocation's hold, and its state follows the invocation's
-- status by a trigger (a2a_follow), so that every end of a call is an event of the task, in one transaction.
--
--   state: SUBMITTED → WORKING → COMPLETED | FAILED | CANCELED;  REJECTED from the start, without an invocation.
--
-- The input (for the worker) and the message (for later readers) are encrypted; the input is deleted when the task
-- ends, the message when it expires.

-- migrate:up

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
COMMENT ON COLUMN a2a_tasks.caller_user_id IS 'The account that sent it, and may read and cancel it';
COMMENT ON COLUMN a2a_tasks.reason IS 'Why it was rejected: {code, message}, and what is lacking';
COMMENT ON COLUMN a2a_tasks.input IS 'Envelope-encrypted input until the task ends; the context is the task id';
COMMENT ON COLUMN a2a_tasks.message IS
  'Envelope-encrypted A2A message that the task came with; the context is the task id';
COMMENT ON COLUMN a2a_tasks.started_at IS 'When the engine last confirmed its workflow';
CREATE INDEX a2a_tasks_caller ON a2a_tasks (caller_user_id, agent_id, state_at DESC, task_id DESC);
CREATE INDEX a2a_tasks_unstarted ON a2a_tasks (created_at) WHERE started_at IS NULL AND state = 'SUBMITTED';
CREATE INDEX a2a_tasks_unconfirmed ON a2a_tasks (started_at) WHERE started_at IS NOT NULL AND state = 'SUBMITTED';
CREATE INDEX a2a_tasks_expiry ON a2a_tasks (expires_at) WHERE expires_at IS NOT NULL;
CREATE TRIGGER a2a_tasks_begin AFTER INSERT ON a2a_tasks FOR EACH ROW EXECUTE FUNCTION a2a_begin();

CREATE TABLE a2a_task_events (
  task_id  text NOT NULL REFERENCES a2a_tasks ON DELETE CASCADE,
  seq      integer NOT NULL,
  state    text NOT NULL,
  at       timestamptz NOT NULL,
  PRIMARY KEY (task_id, seq)
);
COMMENT ON TABLE a2a_task_events IS 'The events of subscribers, in order; the first is the initial state';
CREATE TRIGGER a2a_task_events_push AFTER INSERT ON a2a_task_events FOR EACH ROW
  WHEN (NEW.seq > 1) EXECUTE FUNCTION a2a_push();

-- Endpoints of callers for push notifications; a2a_push queues their deliveries (0007).
CREATE TABLE a2a_push_configs (
  endpoint_id  text PRIMARY KEY CHECK (endpoint_id ~ '^whk_[0-9a-f]{32}$'),
  task_id      text NOT NULL REFERENCES a2a_tasks ON DELETE CASCADE,
  config_id    text NOT NULL CHECK (length(config_id) BETWEEN 1 AND 255),
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  disabled_at  timestamptz,
  UNIQUE (task_id, config_id)
);
COMMENT ON COLUMN a2a_push_configs.sealed IS
  'Envelope-encrypted {url, token, scheme, credentials}; the context is the endpoint id';

-- input, message: the rotation of master keys encrypts them again.
GRANT SELECT, INSERT, UPDATE (started_at, input, message) ON a2a_tasks TO market_app;
GRANT SELECT ON a2a_task_events TO market_app;
GRANT SELECT, INSERT, DELETE, UPDATE (sealed, disabled_at) ON a2a_push_configs TO market_app;

-- migrate:down

DROP TABLE a2a_push_configs;
DROP TABLE a2a_task_events;
DROP TABLE a2a_tasks;
