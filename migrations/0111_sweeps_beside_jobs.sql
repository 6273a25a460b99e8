-- The sweeps of open calls do not read the holds of jobs, which wait for days: a job is found by its own end
-- (docs/internals/statements.md#bounded-work).

-- migrate:up

ALTER TABLE long_calls ADD COLUMN is_job boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN long_calls.is_job IS 'It was a job when this was noted; jobs are swept by their own end';
UPDATE long_calls l SET is_job = true WHERE EXISTS (SELECT FROM jobs j WHERE j.invocation_id = l.invocation_id);
CREATE INDEX long_calls_swept ON long_calls (invocation_id) WHERE NOT is_job;
CREATE INDEX jobs_ends_at ON jobs (ends_at) WHERE ended_at IS NULL AND paused_at IS NULL;
CREATE INDEX job_questions_expires_at ON job_questions (expires_at) WHERE is_open;

-- migrate:down

DROP INDEX IF EXISTS job_questions_expires_at;
DROP INDEX IF EXISTS jobs_ends_at;
DROP INDEX IF EXISTS long_calls_swept;
ALTER TABLE long_calls DROP COLUMN IF EXISTS is_job;
