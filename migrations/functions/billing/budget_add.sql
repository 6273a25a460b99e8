-- Adds a budget to an account: for the calls with a pair of metadata, or for all with a null tag. It counts the calls that are
-- accepted from now on. Outcomes: added | too_many (an account has at most 20) | exists.
-- Called by: src/stores/billing/budgets.ts.
-- Locks: the account's wallet, so that no call is accepted meanwhile.
CREATE OR REPLACE FUNCTION budget_add(account text, id text, pair text, cap bigint, each_window text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = account AND a.kind = 'wallet' FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM budgets b WHERE b.user_id = account AND b.member_user_id IS NULL) >= 20 THEN RETURN 'too_many'; END IF;
  INSERT INTO budgets AS b (budget_id, user_id, tag, cap_units, cap_window, window_began_at, window_ends_at)
    SELECT id, account, pair, cap, each_window, clock_timestamp(),
        budget_window_end(each_window, clock_timestamp(), u.time_zone)
      FROM users u WHERE u.user_id = account
    ON CONFLICT (user_id, member_user_id, tag, cap_window) DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'added' ELSE 'exists' END;
END $$;

REVOKE ALL ON FUNCTION budget_add FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_add TO market_app;
