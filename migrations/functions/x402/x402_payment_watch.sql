-- Remembers a payment that was verified and whose call was refused, because the facilitator has seen its signature: if it
-- is used all the same, its payer gets the credits. Does nothing if it is known.
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the keys of the payment, by its unique insert.
CREATE OR REPLACE FUNCTION x402_payment_watch(item jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM x402_payment_insert(item, 'released', (item ->> 'valid_before')::timestamptz);
END $$;

REVOKE ALL ON FUNCTION x402_payment_watch FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payment_watch TO market_app;
