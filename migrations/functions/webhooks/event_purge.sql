-- Deletes one batch of finished deliveries with their attempts, and of events without deliveries, older than keep_ms,
-- and of notices that are six times as old. Returns how many.
-- Called by: src/stores/webhooks/outbox.ts.
-- Locks: the deliveries, then the events, then the notices, oldest first, skipping locked ones.
CREATE OR REPLACE FUNCTION event_purge(keep_ms bigint, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  before     timestamptz := now() - keep_ms * interval '1 millisecond';
  deliveries integer;
  old_events integer;
  notices    integer;
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
  DELETE FROM account_notices n WHERE n.notice_id IN (
    SELECT o.notice_id FROM account_notices o WHERE o.at < now() - 6 * keep_ms * interval '1 millisecond'
    ORDER BY o.at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS notices = ROW_COUNT;
  RETURN deliveries + old_events + notices;
END $$;

REVOKE ALL ON FUNCTION event_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_purge TO market_app;
