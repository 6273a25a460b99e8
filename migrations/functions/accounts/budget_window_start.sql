-- The beginning of the window of a budget that contains a time: of the day, the week from Monday, or the month in the
-- time zone. A midnight that the clock shows twice counts once, the first time; one that it skips is the instant of the skip.
-- Called by: account_set_time_zone, auto_topup_begin, budget_window_began, budget_window_end,
-- src/stores/billing/auto-topups.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION budget_window_start(cap_window text, at timestamptz, zone text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN cap_window = 'lifetime' THEN '-infinity'
      WHEN (w.began - interval '1 hour') AT TIME ZONE zone = w.began AT TIME ZONE zone THEN w.began - interval '1 hour'
      ELSE w.began END
    FROM (SELECT CASE WHEN cap_window <> 'lifetime' THEN date_trunc(cap_window, at, zone) END AS began) w
$$;

REVOKE ALL ON FUNCTION budget_window_start FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_window_start TO market_app;
