-- The rules of a row of entries: it moves something, and an entry of a locked account carries the balance before and
-- after and the account's version, which fit; an entry of a hot account carries none of the three. A CHECK calls it,
-- because Postgres parses the text of each CHECK again for every statement (docs/internals/statements.md#checks).
-- Raises the name of the rule that the row breaks.
-- Called by: CHECK entries_chain on entries, CHECK entries_chain on archive.entries.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_check_entry(
  amount_units bigint, balance_before_units bigint, balance_after_units bigint, account_version bigint
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  broken text := CASE
    WHEN amount_units = 0 THEN 'entries_amount_units_check'
    WHEN num_nulls(balance_before_units, balance_after_units, account_version) NOT IN (0, 3)
      OR balance_after_units <> balance_before_units + amount_units
      OR balance_before_units < 0 OR balance_after_units < 0 THEN 'entries_chain' END;
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'an entry of % units breaks %', amount_units, broken
      USING ERRCODE = '23514', TABLE = 'entries', CONSTRAINT = broken;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION ledger_check_entry FROM PUBLIC, market_app;
