-- Counts what the budgets of a call have spent: adds the charge when the call has ended, and takes it back when the call is
-- disputed, or the part of it that a dispute returned, in the window in which the call was accepted. With the calls in flight, which budget_used sums, it makes a budget
-- exact.
-- Called by: trigger invocations_budget_returned on invocations, trigger invocations_budget_spending on invocations.
-- Locks: the budgets of the call in id order, before its API key, and after invocation, hold and accounts.
CREATE OR REPLACE FUNCTION budget_count_spending() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  change bigint := CASE WHEN NEW.status = OLD.status THEN coalesce(OLD.returned_units, 0) - NEW.returned_units
    WHEN NEW.status = 'disputed' THEN -coalesce(OLD.charged_units, 0) ELSE NEW.charged_units END;
  id     text;
  budget budgets%ROWTYPE;
  told   integer;
BEGIN
  FOREACH id IN ARRAY NEW.budget_ids LOOP
    UPDATE budgets b SET told_percent = CASE WHEN NEW.invoked_at >= b.window_ends_at THEN 0 ELSE b.told_percent END,
        (window_began_at, window_ends_at, window_units) = (SELECT w.began_at, w.ends_at, w.units
          FROM budget_window_move(b.cap_window, b.window_began_at, b.window_ends_at, b.window_units, change, NEW.invoked_at,
            b.user_id) w)
      WHERE b.budget_id = id RETURNING b.* INTO budget;
    CONTINUE WHEN budget.budget_id IS NULL OR change <= 0;
    told := budget_told(budget.user_id, budget.told_percent, budget.window_units, budget.cap_units, jsonb_build_object(
      'budget_id', budget.budget_id, 'member_user_id', budget.member_user_id, 'tag', budget.tag, 'window', budget.cap_window, 'ends_at', iso_time(budget.window_ends_at)));
    IF told > budget.told_percent THEN
      UPDATE budgets b SET told_percent = told WHERE b.budget_id = id;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION budget_count_spending FROM PUBLIC, market_app;
