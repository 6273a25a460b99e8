-- Counts what the budgets of a call have spent: adds the charge when the call has ended, and takes it back when the call is
-- disputed, in the window in which the call was accepted. With the calls in flight, which budget_used sums, it makes a budget
-- exact.
-- Called by: trigger invocations_budget_spending on invocations.
-- Locks: the budgets of the call in id order, before its API key, and after invocation, hold and accounts.
CREATE OR REPLACE FUNCTION budget_count_spending() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  change bigint := CASE WHEN NEW.status = 'disputed' THEN -coalesce(OLD.charged_units, 0) ELSE NEW.charged_units END;
  id     text;
BEGIN
  FOREACH id IN ARRAY NEW.budget_ids LOOP
    UPDATE budgets b SET (window_began_at, window_ends_at, window_units) = (SELECT w.began_at, w.ends_at, w.units
        FROM budget_window_move(b.cap_window, b.window_began_at, b.window_ends_at, b.window_units, change, NEW.invoked_at,
          b.user_id) w)
      WHERE b.budget_id = id;
  END LOOP;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION budget_count_spending FROM PUBLIC, market_app;
