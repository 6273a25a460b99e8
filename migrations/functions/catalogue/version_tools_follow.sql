-- Keeps the terms of the tools of a serving version in the search row of its agent.
-- Called by: trigger version_tools_follow on version_tools.
-- Locks: the search row of the agent.
CREATE OR REPLACE FUNCTION version_tools_follow() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE agent_search s
     SET terms = search_terms_of(v.display_name, v.slug, v.description, v.tags, v.manifest) || tool_terms_of(v.version_id)
    FROM agent_versions v
   WHERE v.version_id = NEW.version_id AND s.agent_id = v.agent_id AND s.version_id = v.version_id;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION version_tools_follow FROM PUBLIC, market_app;
