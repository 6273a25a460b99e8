-- Ends a payment whose authorization can no longer be used and was not. Returns false if it has ended or its credits are
-- in the wallet.
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the payment.
CREATE OR REPLACE FUNCTION x402_payment_expire(id text, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE x402_payments p SET state = 'expired', reason = coalesce(why, p.reason), due_at = NULL, ended_at = now()
    WHERE p.payment_id = id AND p.state = 'released';
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION x402_payment_expire FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payment_expire TO market_app;
