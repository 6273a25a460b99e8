-- Writes a notice about a new API key or a new grant of an account. Keys that another key made are left out.
-- Called by: trigger api_keys_notice on api_keys.
-- Locks: none.
CREATE OR REPLACE FUNCTION api_key_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM notice_record(CASE NEW.kind WHEN 'key' THEN 'key.created' ELSE 'grant.created' END,
    jsonb_build_object('key_id', NEW.key_id), ARRAY[NEW.user_id], NULL);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION api_key_noted FROM PUBLIC, market_app;
