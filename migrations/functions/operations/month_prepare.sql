-- Gives the partitions of a month a CHECK of its ids, so that month_detach needs no scan. Only one step at a time:
-- first without looking at rows, then validating, which blocks neither readers nor writers.
-- Called by: src/stores/ledger/ledger-archives.ts.
-- Locks: each partition of the month; for an instant when validating is false.
CREATE OR REPLACE FUNCTION month_prepare(month date, validating boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  place record;
  child text;
BEGIN
  FOR place IN SELECT * FROM money_tables() LOOP
    child := place.parent || to_char(month, '_YYYY_MM');
    IF validating THEN
      EXECUTE format('ALTER TABLE months.%I VALIDATE CONSTRAINT of_month', child);
      CONTINUE;
    END IF;
    EXECUTE format('ALTER TABLE months.%I DROP CONSTRAINT IF EXISTS of_month', child);
    EXECUTE format('ALTER TABLE months.%1$I ADD CONSTRAINT of_month CHECK (%2$I >= %3$L AND %2$I < %4$L) NOT VALID', child,
      CASE place.prefix WHEN 'txn' THEN 'transaction_id' ELSE 'invocation_id' END, partition_bound(place.prefix, month),
      partition_bound(place.prefix, (month + interval '1 month')::date));
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION month_prepare FROM PUBLIC, market_app;
