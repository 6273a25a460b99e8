-- Jobs (ADR 0304): calls that an agent has accepted with 202, and answers minutes to days later. A job is a task: its
-- input is stored, a worker carries it out, and a2a_follow ends it in the transaction that ends the call.

-- migrate:up

ALTER TABLE invocations ADD COLUMN is_task boolean NOT NULL DEFAULT false;
ALTER TABLE archive.invocations ADD COLUMN is_task boolean NOT NULL DEFAULT false;
CREATE OR REPLACE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
COMMENT ON COLUMN invocations.is_task IS 'A worker carries it out from its stored input, so no process owns it';
UPDATE invocations i SET is_task = true
  WHERE i.surface = 'a2a' AND i.invocation_id IN (SELECT o.invocation_id FROM open_calls o);

ALTER TABLE a2a_tasks ADD COLUMN input_type text CHECK (length(input_type) <= 255);
COMMENT ON COLUMN a2a_tasks.input_type IS 'Content type of the input; null: JSON';

DROP TRIGGER invocations_a2a ON invocations;
CREATE TRIGGER invocations_task AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.is_task AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION a2a_follow();

CREATE TABLE jobs (
  invocation_id  text PRIMARY KEY CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL,
  taken_at       timestamptz NOT NULL DEFAULT now(),
  took_ms        integer NOT NULL CHECK (took_ms >= 0),
  ends_at        timestamptz NOT NULL,
  is_budgeted    boolean NOT NULL,
  heartbeat_ms   integer NOT NULL CHECK (heartbeat_ms > 0),
  location       bytea,
  progress       real CHECK (progress BETWEEN 0 AND 1),
  message        bytea,
  heard_at       timestamptz NOT NULL DEFAULT now(),
  look_at        timestamptz,
  ended_at       timestamptz
);
COMMENT ON TABLE jobs IS 'Calls that an agent has accepted with 202; without their answers';
COMMENT ON COLUMN jobs.took_ms IS 'How long the agent took to accept it';
COMMENT ON COLUMN jobs.ends_at IS 'When the agent must have answered';
COMMENT ON COLUMN jobs.is_budgeted IS 'It ends then because it would cost more than the ceiling of its buyer';
COMMENT ON COLUMN jobs.location IS 'Envelope-encrypted address that is asked for the answer; null: the agent calls back';
COMMENT ON COLUMN jobs.message IS 'Envelope-encrypted sentence of the agent about its progress';
COMMENT ON COLUMN jobs.heard_at IS 'When the agent last reported';
COMMENT ON COLUMN jobs.look_at IS 'When its workflow is woken if it does not look before';
CREATE INDEX jobs_due ON jobs (look_at) WHERE ended_at IS NULL;
CREATE INDEX jobs_buyer ON jobs (buyer_user_id) WHERE ended_at IS NULL;
CREATE INDEX jobs_agent ON jobs (agent_id) WHERE ended_at IS NULL;
GRANT SELECT, UPDATE (location, message) ON jobs TO market_app;

CREATE TABLE job_ends (
  invocation_id  text PRIMARY KEY,
  webhook_id     text NOT NULL CHECK (length(webhook_id) BETWEEN 1 AND 255),
  kind           text NOT NULL CHECK (kind IN ('answer', 'failure')),
  body           bytea NOT NULL,
  at             timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE job_ends IS 'The answer or the failure of a job that its agent has called back, until the call ends';
COMMENT ON COLUMN job_ends.body IS 'Envelope-encrypted; the context is that of the job';
GRANT SELECT, UPDATE (body) ON job_ends TO market_app;

-- migrate:down

DROP TABLE job_ends;
DROP TABLE jobs;
DROP TRIGGER IF EXISTS invocations_task ON invocations;
DO $$ BEGIN
  IF to_regproc('a2a_follow') IS NOT NULL THEN
    CREATE TRIGGER invocations_a2a AFTER UPDATE OF status ON invocations FOR EACH ROW
      WHEN (NEW.surface = 'a2a' AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION a2a_follow();
  END IF;
END $$;
ALTER TABLE a2a_tasks DROP COLUMN input_type;
DROP VIEW all_invocations;
ALTER TABLE archive.invocations DROP COLUMN is_task;
ALTER TABLE invocations DROP COLUMN is_task;
CREATE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
GRANT SELECT ON all_invocations TO market_app;
