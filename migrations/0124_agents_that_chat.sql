-- Searches ask for agents that chat (ADR 0301): whether the input schema of the serving version has messages.

-- migrate:up

ALTER TABLE agent_search ADD COLUMN chat boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN agent_search.chat IS 'Whether the input schema has messages';
UPDATE agent_search s SET chat = true FROM agent_versions v
  WHERE v.version_id = s.version_id AND v.manifest LIKE '%"messages"%' AND manifest_chats(v.manifest);
CREATE TRIGGER agent_search_chat BEFORE INSERT OR UPDATE OF version_id ON agent_search
  FOR EACH ROW EXECUTE FUNCTION agent_search_chat();

-- migrate:down

DROP TRIGGER IF EXISTS agent_search_chat ON agent_search;
ALTER TABLE agent_search DROP COLUMN chat;
