-- How far ahead the partitions reach: ahead is how many months after this one every table has (−1: this month's is
-- missing somewhere), strays how many tables have rows in their default partition.
-- Called by: src/stores/operations/backlog.ts, src/stores/operations/partitions.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION partition_status(OUT ahead integer, OUT strays integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  place record;
  found_one boolean;
BEGIN
  SELECT coalesce(min(n), 25) - 1 INTO ahead FROM generate_series(0, 24) n, partitioned_tables() t
    WHERE to_regclass('months.' || t.parent
      || to_char(now() AT TIME ZONE 'UTC' + n * interval '1 month', '_YYYY_MM')) IS NULL;
  strays := 0;
  FOR place IN SELECT t.parent || '_default' AS name FROM partitioned_tables() t LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM months.%I)', place.name) INTO found_one;
    strays := strays + found_one::integer;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION partition_status FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION partition_status TO market_app;
