-- Gives up to `most` rows of event_inbox that are committed their positions, oldest first. Returns how many. Positions
-- become visible in their order, because one transaction at a time gives them; a second one returns 0.
-- Called by: src/stores/webhooks/event-inbox.ts.
-- Locks: the advisory lock 'event_order'.
CREATE OR REPLACE FUNCTION event_order(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  base    bigint;
  ordered integer;
BEGIN
  IF NOT EXISTS (SELECT FROM event_inbox i WHERE i.position IS NULL) THEN RETURN 0; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('event_order', 0)) THEN RETURN 0; END IF;
  base := greatest((SELECT max(i.position) FROM event_inbox i), event_position(clock_timestamp()));
  UPDATE event_inbox i SET position = base + n.turn
    FROM (SELECT w.user_id, w.event_id, row_number() OVER (ORDER BY w.event_id, w.user_id) AS turn
      FROM (SELECT o.user_id, o.event_id FROM event_inbox o WHERE o.position IS NULL
        ORDER BY o.event_id LIMIT most) w) n
    WHERE i.user_id = n.user_id AND i.event_id = n.event_id;
  GET DIAGNOSTICS ordered = ROW_COUNT;
  RETURN ordered;
END $$;

REVOKE ALL ON FUNCTION event_order FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_order TO market_app;
