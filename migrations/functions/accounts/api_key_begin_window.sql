-- Begins the count of a cap whose window changes: from now on, calls that are accepted count until the window ends.
-- Called by: trigger api_keys_other_window on api_keys.
-- Locks: none.
CREATE OR REPLACE FUNCTION api_key_begin_window() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  NEW.window_units := 0;
  NEW.told_percent := 0;
  NEW.window_ends_at := budget_window_end(NEW.cap_window, clock_timestamp(),
    (SELECT u.time_zone FROM users u WHERE u.user_id = NEW.user_id));
  NEW.window_began_at := CASE WHEN NEW.window_ends_at IS NOT NULL THEN clock_timestamp() END;
  RETURN NEW;
END $$;
