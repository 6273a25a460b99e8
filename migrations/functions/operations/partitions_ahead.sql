-- Makes the missing partitions of this month and of the next months, for every partitioned table. Returns how many were
-- made. It gives up rather than wait behind a long transaction; the next run tries again.
-- Called by: src/stores/operations/partitions.ts.
-- Locks: those of partition_make, table by table; at most a second each.
CREATE OR REPLACE FUNCTION partitions_ahead(months integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  made  integer := 0;
  place record;
BEGIN
  IF months NOT BETWEEN 0 AND 24 THEN
    RAISE EXCEPTION 'cannot make partitions % months ahead', months USING ERRCODE = '23514';
  END IF;
  FOR place IN
    SELECT t.parent, (now() AT TIME ZONE 'UTC' + n * interval '1 month')::date AS day
    FROM partitioned_tables() t, generate_series(0, months) n ORDER BY n, t.parent
  LOOP
    made := made + partition_make(place.parent, place.day)::integer;
  END LOOP;
  RETURN made;
END $$;

REVOKE ALL ON FUNCTION partitions_ahead FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION partitions_ahead TO market_app;
