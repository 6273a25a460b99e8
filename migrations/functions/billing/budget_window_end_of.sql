-- When the window of a budget ends that contains a time; null for a budget over a lifetime.
-- Called by: budget_limits, member_budget_of, src/stores/billing/budgets.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION budget_window_end_of(budget budgets, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN at < budget.window_ends_at THEN budget.window_ends_at ELSE budget_window_end(budget.cap_window, at,
    (SELECT u.time_zone FROM users u WHERE u.user_id = budget.user_id)) END
$$;

REVOKE ALL ON FUNCTION budget_window_end_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_window_end_of TO market_app;
