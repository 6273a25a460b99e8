-- Rewrites the reasons that hide an agent from search: a critical finding, a bond shortfall.
-- Called by: agent_standing_write.
-- Locks: none of its own; the caller has locked the agent.
CREATE OR REPLACE FUNCTION agent_reasons_refresh(agent text, has_critical boolean, bond record) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF has_critical THEN
    INSERT INTO agent_hidden_reasons (agent_id, code, hides) VALUES (agent, 'critical_finding', true)
      ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM agent_hidden_reasons WHERE agent_id = agent AND code = 'critical_finding';
  END IF;
  IF bond.shortfall_since IS NOT NULL THEN
    INSERT INTO agent_hidden_reasons (agent_id, code, since, deadline, hides)
      VALUES (agent, 'bond_shortfall', bond.shortfall_since, bond.shortfall_deadline, bond.hides)
      ON CONFLICT (agent_id, code) DO UPDATE
        SET since = EXCLUDED.since, deadline = EXCLUDED.deadline, hides = EXCLUDED.hides;
  ELSE
    DELETE FROM agent_hidden_reasons WHERE agent_id = agent AND code = 'bond_shortfall';
  END IF;
END $$;

REVOKE ALL ON FUNCTION agent_reasons_refresh FROM PUBLIC, market_app;
