-- Takes the credits of a payment back, because its call ended and was not charged: wallet → topup_clearing → cash. The
-- payment was not settled, as far as is known; its authorization is watched until it ends.
-- Outcomes: released | running | unchanged.
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the payment, then the wallet of its payer.
CREATE OR REPLACE FUNCTION x402_payment_release(id text, why text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  payment x402_payments%ROWTYPE;
  call record;
BEGIN
  SELECT p.* INTO payment FROM x402_payments p WHERE p.payment_id = id FOR NO KEY UPDATE;
  IF payment.state IS DISTINCT FROM 'held' THEN RETURN 'unchanged'; END IF;
  SELECT i.status, coalesce(i.charged_units, 0) AS charged INTO call FROM invocations i
    WHERE i.invocation_id = payment.invocation_id;
  IF call.status IN ('pending', 'running') THEN
    RETURN 'running';
  ELSIF call.charged > 0 THEN
    RAISE EXCEPTION 'payment % is not settled, and call % was charged', id, payment.invocation_id USING ERRCODE = '23514';
  END IF;
  PERFORM x402_payment_post(payment, 'release');
  UPDATE x402_payments p SET state = 'released', reason = why,
      due_at = CASE WHEN p.sent_at IS NULL THEN greatest(now(), p.valid_before) ELSE now() + interval '5 seconds' END
    WHERE p.payment_id = id;
  RETURN 'released';
END $$;

REVOKE ALL ON FUNCTION x402_payment_release FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payment_release TO market_app;
