-- What counts against a budget at a time, which is not before the beginning of the counted window: the charges of calls that
-- were accepted in the window, and what those of them that are in flight may still cost. Both come from one snapshot.
-- Called by: budget_limits, member_budget_of, src/stores/billing/budgets.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION budget_used(budget budgets, at timestamptz) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN budget.cap_window = 'lifetime' OR at < budget.window_ends_at THEN budget.window_units ELSE 0 END
    + coalesce((SELECT sum(o.price_units) FROM open_calls o WHERE o.buyer_user_id = budget.user_id
      AND (SELECT i.budget_ids @> ARRAY[budget.budget_id] AND i.invoked_at >= w.began FROM invocations i
        WHERE i.invocation_id = o.invocation_id)), 0)::bigint
  FROM (SELECT budget_window_began(budget.cap_window, budget.window_began_at, budget.window_ends_at, at, budget.user_id)) w(began)
$$;

REVOKE ALL ON FUNCTION budget_used FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION budget_used TO market_app;
