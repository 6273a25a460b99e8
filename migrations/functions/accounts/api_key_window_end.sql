-- When the window of the credit cap of a key ends that contains a time; null for a cap over the lifetime.
-- Called by: budget_judge, budget_limits, src/stores/accounts/key-limits.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION api_key_window_end(key api_keys, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN key.cap_window = 'lifetime' THEN NULL WHEN at < key.window_ends_at THEN key.window_ends_at
    ELSE budget_window_end(key.cap_window, at, (SELECT u.time_zone FROM users u WHERE u.user_id = key.user_id)) END
$$;

REVOKE ALL ON FUNCTION api_key_window_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_window_end TO market_app;
