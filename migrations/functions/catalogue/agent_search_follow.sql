-- Keeps the search row of an agent that of its serving version, and whether search lists it.
-- Called by: trigger agent_search_follow on agents.
-- Locks: the search row of the agent.
CREATE OR REPLACE FUNCTION agent_search_follow() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE agent_search SET listed = NEW.listed AND NEW.status = 'active'
    WHERE agent_id = NEW.agent_id AND version_id = NEW.serving_version_id;
  IF NOT FOUND AND NEW.serving_version_id IS NOT NULL THEN
    PERFORM agent_search_write(ARRAY[NEW.agent_id]);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION agent_search_follow FROM PUBLIC, market_app;
