-- Queues one delivery of an event for each of these webhooks. manual: an owner requested it.
-- Called by: event_record, event_test.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_deliver(id text, endpoints text[], manual boolean DEFAULT false) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, requested)
  SELECT 'whd_' || replace(uuidv7()::text, '-', ''), id, 'webhook', e.endpoint_id, id, manual
    FROM unnest(endpoints) e(endpoint_id)
$$;

REVOKE ALL ON FUNCTION event_deliver FROM PUBLIC, market_app;
