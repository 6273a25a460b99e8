-- Whether an agent is public, unlisted or private, and the accounts that see a private one (ADR 0384).

-- migrate:up

ALTER TABLE agents ADD COLUMN visibility text NOT NULL DEFAULT 'public',
  ADD CONSTRAINT agents_visibility_check CHECK (visibility IN ('public', 'unlisted', 'private')),
  ADD CONSTRAINT agents_listed_is_public CHECK (NOT listed OR visibility = 'public');
COMMENT ON COLUMN agents.visibility IS
  'unlisted: for everybody who knows its id; private: only for its owner and the accounts of agent_audience';

CREATE TABLE agent_audience (
  agent_id  text NOT NULL REFERENCES agents,
  owner_id  text NOT NULL REFERENCES users,
  named_as  text NOT NULL CHECK (length(named_as) BETWEEN 1 AND 100),
  added_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (agent_id, owner_id)
);
COMMENT ON TABLE agent_audience IS 'The accounts and organisations that see a private agent, at most 1,000 of an agent';
COMMENT ON COLUMN agent_audience.named_as IS 'The id by which the owner of the agent added the account: its own, or that of its developer';
CREATE INDEX agent_audience_owner ON agent_audience (owner_id, agent_id);
GRANT SELECT, INSERT, DELETE ON agent_audience TO market_app;

DROP TRIGGER agent_search_follow ON agents;
CREATE TRIGGER agent_search_follow AFTER INSERT OR UPDATE OF serving_version_id, listed, status, visibility ON agents
  FOR EACH ROW EXECUTE FUNCTION agent_search_follow();

-- migrate:down

DROP TRIGGER IF EXISTS agent_search_follow ON agents;
DO $$ BEGIN
  IF to_regprocedure('agent_search_follow()') IS NOT NULL THEN
    CREATE TRIGGER agent_search_follow AFTER INSERT OR UPDATE OF serving_version_id, listed, status ON agents
      FOR EACH ROW EXECUTE FUNCTION agent_search_follow();
  END IF;
END $$;
DROP TABLE agent_audience;
-- The release before shows every agent: those that were not public stop serving.
UPDATE agents SET status = 'suspended' WHERE visibility = 'private' AND status = 'active';
ALTER TABLE agents DROP CONSTRAINT agents_listed_is_public, DROP CONSTRAINT agents_visibility_check, DROP COLUMN visibility;
DROP FUNCTION IF EXISTS agent_shown_to(text, text, text);
DROP FUNCTION IF EXISTS agent_standing_write(text, text);
