-- The beginning of the window of a budget that contains a time: of the counted one while it lasts, else of the next one.
-- Called by: api_key_window_used, budget_used, budget_window_move.
-- Locks: none.
CREATE OR REPLACE FUNCTION budget_window_began(cap_window text, began_at timestamptz, ends_at timestamptz, at timestamptz,
  account text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN cap_window = 'lifetime' THEN coalesce(began_at, '-infinity') WHEN at < ends_at THEN began_at
    ELSE greatest(ends_at, budget_window_start(cap_window, at, (SELECT u.time_zone FROM users u WHERE u.user_id = account))) END
$$;

REVOKE ALL ON FUNCTION budget_window_began FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_window_began TO market_app;
