-- Notes whether each part works in this minute, and counts the minute in its day. The first note of a minute counts it;
-- a later one that has seen a failure makes it a failed one. Minutes older than a day are deleted.
-- Called by: src/stores/operations/service-status.ts.
-- Locks: the rows of this minute and day, in the order of their parts.
CREATE OR REPLACE FUNCTION status_note(parts text[], states boolean[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  this_minute timestamptz := date_trunc('minute', now());
BEGIN
  WITH noted AS (
    INSERT INTO status_minutes AS s (minute, part, ok)
    SELECT this_minute, p.part, p.ok FROM unnest(parts, states) p (part, ok) ORDER BY p.part
    ON CONFLICT (minute, part) DO UPDATE SET ok = false WHERE s.ok AND NOT excluded.ok
    RETURNING s.part, s.ok, xmax = 0 AS is_new
  )
  INSERT INTO status_days AS d (day, part, minutes, failed, first)
  SELECT (this_minute AT TIME ZONE 'UTC')::date, n.part, n.is_new::integer, (NOT n.ok)::integer, this_minute
  FROM noted n ORDER BY n.part
  ON CONFLICT (day, part) DO UPDATE SET minutes = d.minutes + excluded.minutes, failed = d.failed + excluded.failed;
  DELETE FROM status_minutes m WHERE m.minute < now() - interval '1 day';
END $$;

REVOKE ALL ON FUNCTION status_note FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION status_note TO market_app;
