-- Notes that a check has proven the ledger up to the end of a sealed day, and moves the opening balances there, from
-- which the next incremental check begins. A day that was proven before is left as it is.
-- Called by: src/stores/ledger/ledger-openings.ts.
-- Locks: the table of proven days.
CREATE OR REPLACE FUNCTION ledger_prove(proven date, is_full boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  last    date;
  from_id text;
  until_id text := partition_bound('txn', proven + 1);
BEGIN
  LOCK TABLE ledger_proven_days IN SHARE ROW EXCLUSIVE MODE;
  SELECT max(d.day) INTO last FROM ledger_proven_days d;
  IF last >= proven THEN
    UPDATE ledger_proven_days d SET is_full = true, proven_at = now() WHERE d.day = proven AND ledger_prove.is_full;
    RETURN false;
  END IF;
  from_id := CASE WHEN last IS NULL THEN '' ELSE partition_bound('txn', last + 1) END;
  INSERT INTO account_openings AS o (account_id, units, entries)
    SELECT e.account_id, sum(e.amount_units), count(*) FROM all_entries e
    WHERE e.transaction_id >= from_id AND e.transaction_id < until_id GROUP BY e.account_id
    ON CONFLICT (account_id) DO UPDATE SET units = o.units + excluded.units, entries = o.entries + excluded.entries;
  INSERT INTO ledger_proven_days (day, is_full) VALUES (proven, is_full);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION ledger_prove FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_prove TO market_app;
