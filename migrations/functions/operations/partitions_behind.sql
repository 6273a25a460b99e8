-- Drops the empty partitions of outbox tables for months that were over keep_days ago: what was in them has been
-- deleted (event_purge). Returns how many. A partition with rows stays. It gives up rather than wait behind a long
-- transaction; the next run tries again. The tables of money are never touched.
-- Called by: src/stores/operations/partitions.ts.
-- Locks: the parent and the partition, one at a time; it waits for them at most 100 ms.
CREATE OR REPLACE FUNCTION partitions_behind(keep_days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  dropped  integer := 0;
  place    record;
  has_rows boolean;
BEGIN
  IF keep_days < 1 THEN
    RAISE EXCEPTION 'cannot drop partitions of the last % days', keep_days USING ERRCODE = '23514';
  END IF;
  FOR place IN
    SELECT p.relname AS parent, c.relname AS child FROM pg_inherits i
      JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
    WHERE p.oid IN ('public.webhook_deliveries'::regclass, 'public.events'::regclass)
      AND c.relnamespace = 'months'::regnamespace AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'
      AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < now() AT TIME ZONE 'UTC' - keep_days * interval '1 day'
    ORDER BY p.relname DESC, c.relname
  LOOP
    BEGIN
      EXECUTE format('SELECT EXISTS (SELECT FROM months.%I)', place.child) INTO has_rows;
      CONTINUE WHEN has_rows;
      EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', place.parent);
      EXECUTE format('SELECT EXISTS (SELECT FROM months.%I)', place.child) INTO has_rows;
      CONTINUE WHEN has_rows;
      EXECUTE format('ALTER TABLE %I DETACH PARTITION months.%I', place.parent, place.child);
      EXECUTE format('DROP TABLE months.%I', place.child);
      dropped := dropped + 1;
    EXCEPTION WHEN lock_not_available THEN
      RETURN dropped;
    END;
  END LOOP;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION partitions_behind FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION partitions_behind TO market_app;
