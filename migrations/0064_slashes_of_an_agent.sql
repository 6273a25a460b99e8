-- The page of an agent for operators lists its slashes.

-- migrate:up

CREATE INDEX slashes_agent ON slashes (agent_id, slash_id DESC);

-- migrate:down

DROP INDEX slashes_agent;
