-- Deletes up to `most` rows of event_inbox that are older than keep_ms, and up to `most` accounts that no longer follow
-- their events. Returns how many.
-- Called by: src/stores/webhooks/event-inbox.ts.
-- Locks: the rows, oldest first, skipping locked ones; rows of event_followers.
CREATE OR REPLACE FUNCTION event_inbox_purge(keep_ms bigint, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  old_rows  integer;
  followers integer;
BEGIN
  WITH gone AS (
    DELETE FROM event_inbox i WHERE i.position IN (
      SELECT o.position FROM event_inbox o
        WHERE o.position < event_position(now() - keep_ms * interval '1 millisecond')
        ORDER BY o.position LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING i.user_id, i.position),
  newest AS (SELECT g.user_id, max(g.position) AS position FROM gone g GROUP BY g.user_id ORDER BY g.user_id),
  noted AS (UPDATE event_followers f SET since = n.position FROM newest n
    WHERE f.user_id = n.user_id AND f.since < n.position)
  SELECT count(*) INTO old_rows FROM gone;
  DELETE FROM event_followers f WHERE f.user_id IN (
    SELECT o.user_id FROM event_followers o WHERE o.until < now() ORDER BY o.until LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS followers = ROW_COUNT;
  RETURN old_rows + followers;
END $$;

REVOKE ALL ON FUNCTION event_inbox_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_inbox_purge TO market_app;
