-- The end of the window of a budget that contains a time, which is the beginning of the next one; null for a lifetime.
-- Called by: account_set_time_zone, api_key_begin_window, api_key_window_end, budget_add, budget_window_end_of,
-- budget_window_move, member_budget_set.
-- Locks: none.
CREATE OR REPLACE FUNCTION budget_window_end(cap_window text, at timestamptz, zone text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  -- Three hours after the next midnight are in the next window, whatever the clock does that night.
  SELECT CASE WHEN cap_window <> 'lifetime' THEN
    budget_window_start(cap_window, (date_trunc(cap_window, at AT TIME ZONE zone) + ('1 ' || cap_window)::interval
      + interval '3 hours') AT TIME ZONE zone, zone) END
$$;

REVOKE ALL ON FUNCTION budget_window_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_window_end TO market_app;
