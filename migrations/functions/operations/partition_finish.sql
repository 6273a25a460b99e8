-- Adds the constraints and triggers that a partition does not inherit: unique indexes within the month, if the key
-- lacks the id, and the guards of statements, for statements that name the partition itself.
-- Called by: partition_make, partition_setup.
-- Locks: the partition.
CREATE OR REPLACE FUNCTION partition_finish(parent text, child text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  EXECUTE format('ALTER TABLE months.%I SET (fillfactor = %s)', child,
    (SELECT t.fill FROM partitioned_tables() t WHERE t.parent = partition_finish.parent));
  IF parent IN ('transactions', 'entries') THEN
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON months.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()', parent || '_written_once', child);
  ELSIF parent IN ('holds', 'earnings') THEN
    EXECUTE format('CREATE TRIGGER %I BEFORE DELETE OR TRUNCATE ON months.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()', parent || '_never_deleted', child);
  END IF;
  IF parent = 'entries' THEN
    EXECUTE format('CREATE TRIGGER entries_sum_to_zero AFTER INSERT ON months.%I REFERENCING NEW TABLE AS new_entries '
      'FOR EACH STATEMENT EXECUTE FUNCTION ledger_assert_entries()', child);
  ELSIF parent = 'webhook_deliveries' THEN
    EXECUTE format('CREATE UNIQUE INDEX %I ON months.%I (event_id, endpoint_id)', child || '_once', child);
  END IF;
END $$;

REVOKE ALL ON FUNCTION partition_finish FROM PUBLIC, market_app;
