-- Deletes one batch of expired answers, and of waiters whose call ended an hour ago and whose process is gone.
-- Called by: src/stores/operations/retention.ts.
-- Locks: the answers by expiry, then the waiters, skipping locked ones.
CREATE OR REPLACE FUNCTION retention_purge(most integer, OUT answers integer, OUT waiters integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM invocation_answers a WHERE a.invocation_id IN (
    SELECT e.invocation_id FROM invocation_answers e WHERE e.expires_at <= now()
    ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS answers = ROW_COUNT;
  DELETE FROM invocation_waiters w WHERE (w.invocation_id, w.owner) IN (
    SELECT s.invocation_id, s.owner FROM invocation_waiters s JOIN invocations i USING (invocation_id)
    WHERE i.settled_at < now() - interval '1 hour' LIMIT most FOR UPDATE OF s SKIP LOCKED);
  GET DIAGNOSTICS waiters = ROW_COUNT;
END $$;

REVOKE ALL ON FUNCTION retention_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION retention_purge TO market_app;
