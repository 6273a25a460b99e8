-- Appends the audit log entry for an exchange rate that an operator loaded by hand. Fetched rates have none.
-- Called by: trigger fx_rates_operator_log on fx_rates.
-- Locks: none.
CREATE OR REPLACE FUNCTION operator_note_rate() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM operator_note(NEW.loaded_by, 'exchange_rate.load', NEW.base || '/' || NEW.quote, 'source: ' || NEW.source,
    jsonb_build_object('rate', NEW.rate::text, 'rate_id', NEW.rate_id,
      'observed_at', to_char(NEW.observed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  RETURN NULL;
END $$;
