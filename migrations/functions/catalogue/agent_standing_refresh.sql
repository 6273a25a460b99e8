-- Derives an agent's listing status (agent_standing_write), and leaves its visibility. Call it in the transaction that
-- changes a report, a bond, or an agent's status or serving version.
-- Called by: developer_standing_refresh, src/stores/catalogue/agents.ts.
-- Locks: the agent.
CREATE OR REPLACE FUNCTION agent_standing_refresh(agent text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM agent_standing_write(agent, NULL);
END $$;

REVOKE ALL ON FUNCTION agent_standing_refresh FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION agent_standing_refresh TO market_app;
