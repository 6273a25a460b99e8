-- Notes in the search row of an agent whether it chats.
-- Called by: trigger agent_search_chat on agent_search.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_search_chat() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  NEW.chat := coalesce((SELECT manifest_chats(v.manifest) FROM agent_versions v WHERE v.version_id = NEW.version_id), false);
  RETURN NEW;
END $$;

REVOKE ALL ON FUNCTION agent_search_chat FROM PUBLIC, market_app;
