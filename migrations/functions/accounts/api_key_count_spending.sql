-- Counts what an API key has spent: adds the charge when a call of the key has ended, and takes it back when the call
-- is disputed, also of the window of a cap that counts by day, week or month, if the call was accepted in that window. With
-- the calls in flight, which api_key_window_used sums, it makes the credit cap of a key exact.
-- Called by: trigger invocations_key_spending on invocations.
-- Locks: the row of the key, as the last lock of a call's step: after invocation, hold and accounts.
CREATE OR REPLACE FUNCTION api_key_count_spending() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  change bigint := CASE WHEN NEW.status = 'disputed' THEN -coalesce(OLD.charged_units, 0) ELSE NEW.charged_units END;
BEGIN
  UPDATE api_keys k SET spent_units = k.spent_units + change,
      (window_began_at, window_ends_at, window_units) = (SELECT w.began_at, w.ends_at, w.units FROM budget_window_move(
        k.cap_window, k.window_began_at, k.window_ends_at, k.window_units, change, NEW.invoked_at, k.user_id) w)
    WHERE k.key_id = NEW.key_id;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION api_key_count_spending FROM PUBLIC, market_app;
