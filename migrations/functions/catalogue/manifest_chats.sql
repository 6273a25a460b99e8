-- Whether the input schema of a manifest has messages. False for JSON that has a character that no text of Postgres can (\u0000).
-- Called by: agent_search_chat.
-- Locks: none.
CREATE OR REPLACE FUNCTION manifest_chats(manifest text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN coalesce((manifest::jsonb #> '{input_schema,properties}') ? 'messages', false);
EXCEPTION WHEN others THEN
  RETURN false;
END $$;
