-- Makes the first partitions of a new table: the default, which catches every id that no month covers, this month, and
-- the next two.
-- Called by: migrations.
-- Locks: the new table.
CREATE OR REPLACE FUNCTION partition_setup(parent text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE spare text := parent || '_default';
BEGIN
  EXECUTE format('CREATE TABLE months.%I PARTITION OF %I DEFAULT', spare, parent);
  PERFORM partition_finish(parent, spare);
  FOR n IN 0 .. 2 LOOP
    PERFORM partition_make(parent, (now() AT TIME ZONE 'UTC' + n * interval '1 month')::date);
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION partition_setup FROM PUBLIC, market_app;
