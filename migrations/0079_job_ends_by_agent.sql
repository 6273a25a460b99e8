-- The answers of jobs that wait for settlement are counted for each agent (ADR 0321).

-- migrate:up

ALTER TABLE job_ends ADD COLUMN agent_id text;
COMMENT ON COLUMN job_ends.agent_id IS 'Whose end it is; null: kept by a release before this column';
CREATE INDEX job_ends_agent ON job_ends (agent_id);

-- migrate:down

DROP INDEX job_ends_agent;
ALTER TABLE job_ends DROP COLUMN agent_id;
