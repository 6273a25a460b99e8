-- Changes the credits of a budget of an account, which is not that of a member. Fewer than were spent refuse calls until the window ends. With null credits,
-- deletes the budget. Returns whether there is one.
-- Called by: src/stores/billing/budgets.ts.
-- Locks: the account's wallet, so that no call is accepted meanwhile, then the budget.
CREATE OR REPLACE FUNCTION budget_change(account text, id text, cap bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = account AND a.kind = 'wallet' FOR NO KEY UPDATE;
  IF cap IS NULL THEN
    DELETE FROM budgets b WHERE b.user_id = account AND b.budget_id = id AND b.member_user_id IS NULL;
  ELSE
    UPDATE budgets b SET cap_units = cap, told_percent = 0 WHERE b.user_id = account AND b.budget_id = id AND b.member_user_id IS NULL;
  END IF;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION budget_change FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_change TO market_app;
