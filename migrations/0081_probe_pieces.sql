-- Pieces and milestones that an agent calls back about a probe get the answers of those about a call of a buyer: a milestone
-- counts once and is one of the version, and a piece comes after the 202 (ADR 0317).

-- migrate:up

ALTER TABLE probe_jobs
  ADD COLUMN version_id text,
  ADD COLUMN taken_at timestamptz,
  ADD COLUMN reached jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN probe_jobs.version_id IS 'The version that is verified; null in rows of earlier releases';
COMMENT ON COLUMN probe_jobs.taken_at IS 'When the 202 of the agent was read; null before, and in rows of earlier releases';
COMMENT ON COLUMN probe_jobs.reached IS 'The webhook id of each milestone that was called back, by its name';

-- migrate:down

ALTER TABLE probe_jobs DROP COLUMN version_id, DROP COLUMN taken_at, DROP COLUMN reached;
