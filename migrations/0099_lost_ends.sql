-- Agents hear of the end of their job although its workflow was lost, and probes whose process was killed end (ADRs 0325,
-- 0317): a job that has ended keeps when its workflow is woken until its agent was notified.

-- migrate:up

CREATE INDEX jobs_looked_at ON jobs (look_at) WHERE look_at IS NOT NULL;
DROP INDEX jobs_due;
GRANT UPDATE (look_at) ON jobs TO market_app;
CREATE INDEX probe_jobs_open ON probe_jobs (began_at) WHERE over_at IS NULL;

-- migrate:down

DROP INDEX IF EXISTS probe_jobs_open;
REVOKE UPDATE (look_at) ON jobs FROM market_app;
CREATE INDEX jobs_due ON jobs (look_at) WHERE ended_at IS NULL;
DROP INDEX IF EXISTS jobs_looked_at;
