-- Keeps the search row of an agent that of its serving version, and whether search lists it. A private agent has none, and no
-- vector: neither its words nor their number are in what searches compare and count.
-- Called by: trigger agent_search_follow on agents.
-- Locks: the search row and the vector of the agent.
CREATE OR REPLACE FUNCTION agent_search_follow() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NEW.visibility = 'private' THEN
    DELETE FROM agent_search WHERE agent_id = NEW.agent_id;
    DELETE FROM agent_vectors WHERE agent_id = NEW.agent_id;
    RETURN NULL;
  END IF;
  UPDATE agent_search SET listed = NEW.listed AND NEW.status = 'active'
    WHERE agent_id = NEW.agent_id AND version_id = NEW.serving_version_id;
  IF NOT FOUND AND NEW.serving_version_id IS NOT NULL THEN
    PERFORM agent_search_write(ARRAY[NEW.agent_id]);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION agent_search_follow FROM PUBLIC, market_app;
