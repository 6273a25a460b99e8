-- Queues one delivery of an event for each of these webhooks, in the turns of its owner. manual: an owner requested it.
-- Called by: event_record, event_test.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_deliver(id text, endpoints text[], manual boolean DEFAULT false) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, requested, account)
  SELECT 'whd_' || replace(uuidv7()::text, '-', ''), id, 'webhook', e.endpoint_id, id, manual,
         coalesce(w.user_id, e.endpoint_id)
    FROM unnest(endpoints) e(endpoint_id) LEFT JOIN webhooks w ON w.webhook_id = e.endpoint_id
$$;

REVOKE ALL ON FUNCTION event_deliver FROM PUBLIC, market_app;
