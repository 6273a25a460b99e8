-- Writes a test event for one webhook, at its owner's request. Returns the event's id.
-- Called by: src/stores/webhooks/outbox.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_test(webhook text, event_data jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE id text;
BEGIN
  INSERT INTO events (event_id, type, data)
    VALUES ('evt_' || replace(uuidv7()::text, '-', ''), 'webhook.test', event_data) RETURNING event_id INTO id;
  PERFORM event_deliver(id, ARRAY[webhook], true);
  RETURN id;
END $$;

REVOKE ALL ON FUNCTION event_test FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_test TO market_app;
