-- Whether the input schema of a manifest has messages.
-- Called by: agent_search_chat.
-- Locks: none.
CREATE OR REPLACE FUNCTION manifest_chats(manifest text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT coalesce((manifest_json(manifest) #> '{input_schema,properties}') ? 'messages', false)
$$;
