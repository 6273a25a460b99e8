-- Makes the vector of an agent due when its texts have changed.
-- Called by: trigger agent_vectors_follow on agent_search.
-- Locks: the row of the agent's vector.
CREATE OR REPLACE FUNCTION agent_vectors_follow() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO agent_vectors (agent_id, due_at) VALUES (NEW.agent_id, clock_timestamp())
    ON CONFLICT (agent_id) DO UPDATE SET due_at = excluded.due_at;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION agent_vectors_follow FROM PUBLIC, market_app;
