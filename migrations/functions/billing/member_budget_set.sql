-- Sets what a member of an organisation may spend for it in a window; with null credits, removes the budget. It counts the
-- calls that are accepted from now on. Other credits for the same window keep its count, another window begins a new one.
-- Returns false if there is no such member, or no budget to remove.
-- Called by: src/stores/organisations/member-budgets.ts.
-- Locks: the organisation's wallet, so that no call is accepted meanwhile, then the membership, then the budget.
CREATE OR REPLACE FUNCTION member_budget_set(account text, member text, id text, cap bigint, each_window text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = account AND a.kind = 'wallet' FOR NO KEY UPDATE;
  PERFORM FROM organisation_members m WHERE m.org_id = account AND m.user_id = member FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF cap IS NULL THEN
    DELETE FROM budgets b WHERE b.user_id = account AND b.member_user_id = member;
    RETURN FOUND;
  END IF;
  INSERT INTO budgets AS b (budget_id, user_id, member_user_id, cap_units, cap_window, window_began_at, window_ends_at)
    SELECT id, account, member, cap, each_window, clock_timestamp(),
        budget_window_end(each_window, clock_timestamp(), u.time_zone)
      FROM users u WHERE u.user_id = account
    ON CONFLICT (user_id, member_user_id) WHERE member_user_id IS NOT NULL DO UPDATE SET
      cap_units = excluded.cap_units, told_percent = 0, cap_window = excluded.cap_window,
      (window_began_at, window_ends_at, window_units) = (SELECT w.* FROM (
        SELECT b.window_began_at, b.window_ends_at, b.window_units WHERE b.cap_window = excluded.cap_window
        UNION ALL
        SELECT excluded.window_began_at, excluded.window_ends_at, 0 WHERE b.cap_window <> excluded.cap_window) w);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION member_budget_set FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION member_budget_set TO market_app;
