-- Makes the partition of a table for the month of a day, unless it exists. Rows of that month that the default
-- partition caught meanwhile move along when they are at most 100,000; with more of them nothing is made, and they stay
-- where they are. Returns whether the partition was made.
-- Called by: partition_setup, partitions_ahead, src/stores/operations/backup.ts.
-- Locks: the parent (new partitions only) and its default partition, for an instant.
CREATE OR REPLACE FUNCTION partition_make(parent text, day date) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  month    date := date_trunc('month', day::timestamp)::date;
  child    text := parent || to_char(month, '_YYYY_MM');
  spare    text := parent || '_default';
  prefix   text := (SELECT t.prefix FROM partitioned_tables() t WHERE t.parent = partition_make.parent);
  from_id  text := partition_bound(prefix, month);
  until_id text := partition_bound(prefix, (month + interval '1 month')::date);
  key      text := CASE parent WHEN 'events' THEN 'event_id' WHEN 'webhook_deliveries' THEN 'delivery_id'
                     ELSE CASE prefix WHEN 'txn' THEN 'transaction_id' ELSE 'invocation_id' END END;
  strays   bigint;
BEGIN
  IF to_regclass('months.' || child) IS NOT NULL OR to_regclass('archive.' || child) IS NOT NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('SELECT count(*) FROM (SELECT FROM months.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 100001) s',
    spare, key, from_id, until_id) INTO strays;
  IF strays > 100000 THEN RETURN false; END IF;
  EXECUTE format('CREATE TABLE months.%I (LIKE %I INCLUDING ALL EXCLUDING IDENTITY)', child, parent);
  IF strays > 0 THEN
    EXECUTE format('ALTER TABLE months.%I DISABLE TRIGGER USER', spare);
    EXECUTE format('WITH moved AS (DELETE FROM months.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L RETURNING *) '
      'INSERT INTO months.%5$I SELECT * FROM moved', spare, key, from_id, until_id, child);
    EXECUTE format('ALTER TABLE months.%I ENABLE TRIGGER USER', spare);
  END IF;
  PERFORM partition_finish(parent, child);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION months.%I FOR VALUES FROM (%L) TO (%L)',
    parent, child, from_id, until_id);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION partition_make FROM PUBLIC, market_app;
