-- The budget of a member of an organisation, with what counts against it now; no row without one.
-- Called by: src/stores/organisations/member-budgets.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION member_budget_of(org text, member text)
RETURNS TABLE (budget_id text, cap_units bigint, cap_window text, created_at timestamptz, used_units bigint,
  window_ends_at timestamptz, time_zone text)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
  SELECT b.budget_id, b.cap_units, b.cap_window, b.created_at, budget_used(b, greatest(now(), b.window_began_at)),
      budget_window_end_of(b, now()), (SELECT u.time_zone FROM users u WHERE u.user_id = org)
    FROM budgets b WHERE b.user_id = org AND b.member_user_id = member
$$;

REVOKE ALL ON FUNCTION member_budget_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION member_budget_of TO market_app;
