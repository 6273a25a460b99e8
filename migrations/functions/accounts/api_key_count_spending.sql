-- Counts what an API key, and the key that made it, have spent: adds the charge when a call of the key has ended, and takes it
-- back when the call is disputed, or the part of it that a dispute returned, also of the window of a cap that counts by day, week or month, if the call was accepted in that
-- window. With the calls in flight, which api_key_window_used sums, it makes the credit cap of a key exact.
-- Called by: trigger invocations_key_returned on invocations, trigger invocations_key_spending on invocations.
-- Locks: the row of the key, then that of the key that made it, as the last locks of a call's step: after invocation, hold and
-- accounts.
CREATE OR REPLACE FUNCTION api_key_count_spending() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  change  bigint := CASE WHEN NEW.status = OLD.status THEN coalesce(OLD.returned_units, 0) - NEW.returned_units
    WHEN NEW.status = 'disputed' THEN -coalesce(OLD.charged_units, 0) ELSE NEW.charged_units END;
  counted text := NEW.key_id;
  key     api_keys%ROWTYPE;
  told    integer;
BEGIN
  WHILE counted IS NOT NULL LOOP
    UPDATE api_keys k SET spent_units = k.spent_units + change,
        told_percent = CASE WHEN NEW.invoked_at >= k.window_ends_at THEN 0 ELSE k.told_percent END,
        (window_began_at, window_ends_at, window_units) = (SELECT w.began_at, w.ends_at, w.units FROM budget_window_move(
          k.cap_window, k.window_began_at, k.window_ends_at, k.window_units, change, NEW.invoked_at, k.user_id) w)
      WHERE k.key_id = counted RETURNING k.* INTO key;
    IF change > 0 AND key.credit_cap_units > 0 AND key.parent_key_id IS NULL THEN
      told := budget_told(key.user_id, key.told_percent, CASE key.cap_window WHEN 'lifetime' THEN key.spent_units
        ELSE key.window_units END, key.credit_cap_units, jsonb_build_object('key_id', key.key_id, 'window', key.cap_window,
        'ends_at', iso_time(key.window_ends_at)));
      IF told > key.told_percent THEN
        UPDATE api_keys k SET told_percent = told WHERE k.key_id = counted;
      END IF;
    END IF;
    counted := key.parent_key_id;
  END LOOP;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION api_key_count_spending FROM PUBLIC, market_app;
