-- Derives the listing status of all agents of a developer, after a change of the account such as its bond.
-- Called by: bond_deposit, bond_pay_waiting, slash_end_top_up, slash_resolve.
-- Locks: the agents, in id order.
CREATE OR REPLACE FUNCTION developer_standing_refresh(developer text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE agent text;
BEGIN
  FOR agent IN SELECT a.agent_id FROM agents a WHERE a.developer_user_id = developer ORDER BY a.agent_id LOOP
    PERFORM agent_standing_refresh(agent);
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION developer_standing_refresh FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION developer_standing_refresh TO market_app;
