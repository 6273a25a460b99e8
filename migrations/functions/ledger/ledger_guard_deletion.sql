-- Refuses the deletion of an account that ever had an entry or a balance, and of the platform's accounts.
-- Called by: trigger accounts_guard_deletion on accounts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_guard_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.user_id IS NULL OR OLD.balance_units <> 0 OR OLD.version <> 0
     OR EXISTS (SELECT FROM all_entries e WHERE e.account_id = OLD.account_id)
     OR EXISTS (SELECT FROM pending_rollups p WHERE p.account_id = OLD.account_id) THEN
    RAISE EXCEPTION 'the ledger is written once: DELETE on accounts is refused' USING ERRCODE = '23514';
  END IF;
  RETURN OLD;
END $$;
