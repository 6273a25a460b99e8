-- Permits to send a payment to be settled: its call has a valid answer, and its hold is open. One authorization moves money
-- once, however often it is sent. Outcomes: send | settled | closed (the call has ended, or is that of another payment).
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the payment.
CREATE OR REPLACE FUNCTION x402_payment_send(id text, call_id text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE payment x402_payments%ROWTYPE;
BEGIN
  SELECT p.* INTO payment FROM x402_payments p WHERE p.payment_id = id AND p.invocation_id = call_id FOR NO KEY UPDATE;
  IF payment.state = 'settled' THEN
    RETURN 'settled';
  ELSIF payment.state IS DISTINCT FROM 'held'
      OR NOT EXISTS (SELECT FROM holds h WHERE h.invocation_id = call_id AND h.state = 'open') THEN
    RETURN 'closed';
  END IF;
  UPDATE x402_payments p SET sent_at = now() WHERE p.payment_id = id;
  RETURN 'send';
END $$;

REVOKE ALL ON FUNCTION x402_payment_send FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payment_send TO market_app;
