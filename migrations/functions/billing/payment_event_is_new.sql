-- Records an event of a payment provider. Returns false for a repetition; one that arrives at the same time waits for
-- the first.
-- Called by: payment_declined, payment_link_over, payment_record, payment_reverse, src/stores/billing/payments.ts.
-- Locks: the key of the event, by its unique insert.
CREATE OR REPLACE FUNCTION payment_event_is_new(provider text, event_id text, type text, payment_id text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO payment_events VALUES ($1, $2, $3, $4, now()) ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION payment_event_is_new FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payment_event_is_new TO market_app;
