-- Deletes one batch of finished deliveries with their attempts, and of events without deliveries, older than keep_ms.
-- Returns how many.
-- Called by: src/stores/webhooks/outbox.ts.
-- Locks: the deliveries, then the events, oldest first, skipping locked ones.
CREATE OR REPLACE FUNCTION event_purge(keep_ms bigint, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  before     timestamptz := now() - keep_ms * interval '1 millisecond';
  deliveries integer;
  old_events integer;
BEGIN
  DELETE FROM webhook_deliveries d WHERE d.delivery_id IN (
    SELECT w.delivery_id FROM webhook_deliveries w WHERE w.finished_at < before
    ORDER BY w.finished_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  DELETE FROM events e WHERE e.event_id IN (
    SELECT o.event_id FROM events o WHERE o.created_at < before
      AND NOT EXISTS (SELECT FROM webhook_deliveries w WHERE w.event_id = o.event_id)
    ORDER BY o.created_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS old_events = ROW_COUNT;
  RETURN deliveries + old_events;
END $$;

REVOKE ALL ON FUNCTION event_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_purge TO market_app;
