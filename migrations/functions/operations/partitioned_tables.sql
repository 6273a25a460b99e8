-- Lists the tables that are partitioned by month, with the prefix of the ids that they are partitioned by and the
-- fillfactor of their partitions.
-- Called by: money_tables, partition_finish, partition_make, partition_status, partitions_ahead,
-- src/stores/operations/backup.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION partitioned_tables(OUT parent text, OUT prefix text, OUT fill integer) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES ('transactions', 'txn', 100), ('entries', 'txn', 100), ('holds', 'inv', 70), ('earnings', 'inv', 45),
         ('invocations', 'inv', 75), ('events', 'evt', 100), ('webhook_deliveries', 'whd', 85)
$$;
