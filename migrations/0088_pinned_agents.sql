-- The agents that a grant for the market pins: each is a tool of its own at POST /mcp (ADR 0335).

-- migrate:up

ALTER TABLE api_keys
  ADD COLUMN pinned_agents text[] CHECK (cardinality(pinned_agents) BETWEEN 1 AND 40),
  ADD CONSTRAINT api_keys_pins_may_be_called CHECK (pinned_agents <@ only_agents);
COMMENT ON COLUMN api_keys.pinned_agents IS 'Agents that are tools of their own at POST /mcp, in the order of the list of tools';
GRANT INSERT (pinned_agents), UPDATE (pinned_agents) ON api_keys TO market_app;

-- migrate:down

ALTER TABLE api_keys DROP COLUMN pinned_agents;
