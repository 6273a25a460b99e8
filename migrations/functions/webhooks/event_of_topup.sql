-- Records credits.loaded for the account whose top-up succeeded.
-- Called by: trigger topups_event on topups.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_of_topup() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM event_record('credits.loaded', jsonb_build_object(
      'topup_id', NEW.topup_id, 'credits', event_credits(NEW.amount_units), 'amount_minor', NEW.amount_minor,
      'currency', NEW.currency, 'loaded_at', event_time(NEW.completed_at)),
    ARRAY[NEW.user_id]);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION event_of_topup FROM PUBLIC, market_app;
