-- Sets the time zone of an account. Windows of budgets that run end as they would have; the next ones begin in the new zone,
-- so that no change of the zone gives a budget twice. An unknown zone raises 22023.
-- Called by: src/stores/accounts/users.ts.
-- Locks: the account's wallet, so that no call is accepted meanwhile, then the account, its budgets in id order and its keys.
CREATE OR REPLACE FUNCTION account_set_time_zone(account text, zone text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  before text;
  moment timestamptz;
BEGIN
  PERFORM now() AT TIME ZONE zone;
  PERFORM FROM accounts a WHERE a.user_id = account AND a.kind = 'wallet' FOR NO KEY UPDATE;
  SELECT u.time_zone INTO before FROM users u WHERE u.user_id = account FOR NO KEY UPDATE;
  IF before = zone THEN RETURN; END IF;
  moment := clock_timestamp();
  PERFORM FROM budgets b WHERE b.user_id = account ORDER BY b.budget_id FOR NO KEY UPDATE;
  UPDATE budgets b SET window_began_at = greatest(b.window_ends_at, budget_window_start(b.cap_window, moment, before)),
      window_ends_at = budget_window_end(b.cap_window, moment, before), window_units = 0
    WHERE b.user_id = account AND b.window_ends_at <= moment;
  UPDATE api_keys k SET window_began_at = greatest(k.window_ends_at, budget_window_start(k.cap_window, moment, before)),
      window_ends_at = budget_window_end(k.cap_window, moment, before), window_units = 0
    WHERE k.user_id = account AND k.cap_window <> 'lifetime' AND coalesce(k.window_ends_at <= moment, true);
  UPDATE users u SET time_zone = zone WHERE u.user_id = account;
END $$;

REVOKE ALL ON FUNCTION account_set_time_zone FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION account_set_time_zone TO market_app;
