-- Writes a notice for the account whose webhook was disabled because its endpoint answered 410 Gone.
-- Called by: trigger webhooks_disabled_notice on webhooks.
-- Locks: none.
CREATE OR REPLACE FUNCTION webhook_disabled_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM notice_record('webhook.disabled', jsonb_build_object('webhook_id', NEW.webhook_id), ARRAY[NEW.user_id], NULL);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION webhook_disabled_noted FROM PUBLIC, market_app;
