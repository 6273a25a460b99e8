-- Moves a month of money out of the tables that calls write, into the schema archive, where nothing changes any more.
-- The rows stay readable by the views all_…. It gives up rather than wait behind a long transaction.
-- Called by: src/stores/ledger/ledger-archives.ts.
-- Locks: the five tables of money and their partitions of the month, in the order of money_tables; at most a second
-- each.
CREATE OR REPLACE FUNCTION month_detach(month date, file_sha256 text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  place   record;
  child   text;
BEGIN
  FOR place IN SELECT * FROM money_tables() LOOP
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', place.parent);
  END LOOP;
  FOR place IN SELECT * FROM money_tables() LOOP
    child := place.parent || to_char(month, '_YYYY_MM');
    EXECUTE format('ALTER TABLE %I DETACH PARTITION months.%I', place.parent, child);
    EXECUTE format('ALTER TABLE months.%I SET SCHEMA archive', child);
    EXECUTE format('ALTER TABLE archive.%I ATTACH PARTITION archive.%I FOR VALUES FROM (%L) TO (%L)', place.parent, child,
      partition_bound(place.prefix, month), partition_bound(place.prefix, (month + interval '1 month')::date));
    EXECUTE format('CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()', child);
  END LOOP;
  INSERT INTO detached_months (month, file_sha256) VALUES (month, file_sha256);
END $$;

REVOKE ALL ON FUNCTION month_detach FROM PUBLIC, market_app;
