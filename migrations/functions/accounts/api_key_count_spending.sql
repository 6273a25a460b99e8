-- Counts what an API key has spent: adds the charge when a call of the key has ended, and takes it back when the call
-- is disputed, also of the window of a cap that counts by day, week or month, if it was charged in that window. With
-- the calls in flight, which invocation_decide sums, it makes the credit cap of a key exact.
-- Called by: trigger invocations_key_spending on invocations.
-- Locks: the row of the key, as the last lock of a call's step: after invocation, hold and accounts.
CREATE OR REPLACE FUNCTION api_key_count_spending() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  change bigint := CASE WHEN NEW.status = 'disputed' THEN -coalesce(OLD.charged_units, 0) ELSE NEW.charged_units END;
BEGIN
  UPDATE api_keys k SET spent_units = k.spent_units + change,
      window_units = CASE
        WHEN k.cap_window = 'lifetime' THEN 0
        WHEN k.window_began_at >= api_key_window_start(k.cap_window, now()) THEN
          CASE WHEN change >= 0 THEN k.window_units + change
            WHEN OLD.settled_at >= k.window_began_at THEN greatest(k.window_units + change, 0)
            ELSE k.window_units END
        ELSE greatest(change, 0) END,
      window_began_at = CASE WHEN k.cap_window <> 'lifetime' THEN
        greatest(k.window_began_at, api_key_window_start(k.cap_window, now())) END
    WHERE k.key_id = NEW.key_id;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION api_key_count_spending FROM PUBLIC, market_app;
