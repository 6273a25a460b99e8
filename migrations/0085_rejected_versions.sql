-- A rejected version stays rejected when another one is submitted or goes live (ADR 0331). Earlier releases superseded it, and
-- kept the reason.

-- migrate:up

ALTER TABLE agent_versions DISABLE TRIGGER agent_version_is_immutable;
UPDATE agent_versions SET state = 'rejected'
  WHERE state = 'superseded' AND reject_reason IS NOT NULL AND live_at IS NULL AND withdrawn_at IS NULL;
ALTER TABLE agent_versions ENABLE TRIGGER agent_version_is_immutable;

-- migrate:down

-- Earlier releases read both states, so nothing is taken back.
SELECT;
