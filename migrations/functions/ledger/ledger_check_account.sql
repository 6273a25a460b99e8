-- The rules of a row of accounts: only cash and platform go below zero. A CHECK calls it, because Postgres parses the
-- text of each CHECK again for every statement (docs/internals/statements.md#checks). Raises the name of the rule that
-- the row breaks.
-- Called by: CHECK accounts_not_negative on accounts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_check_account(kind text, balance_units bigint) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF balance_units < 0 AND kind NOT IN ('cash', 'platform') THEN
    RAISE EXCEPTION 'the balance of a % breaks accounts_not_negative: % units', kind, balance_units
      USING ERRCODE = '23514', TABLE = 'accounts', CONSTRAINT = 'accounts_not_negative';
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION ledger_check_account FROM PUBLIC, market_app;
