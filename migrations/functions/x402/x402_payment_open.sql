-- Opens a payment for a new call, in the transaction that accepts the call and before it is decided: credits the
-- payer's wallet, so that the credits appear only with the hold of the call. A payment that is known is opened again
-- if its call failed; one whose credits are in the wallet already is only given the new call.
-- Outcomes: funded | joined (its call runs or was answered; the caller joins it) | reused (another payment, input or
-- agent) | expired.
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the payment, then the wallet of its payer.
CREATE OR REPLACE FUNCTION x402_payment_open(item jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  payment x402_payments%ROWTYPE;
  due timestamptz := now() + (item ->> 'due_ms')::integer * interval '1 millisecond';
BEGIN
  IF x402_payment_insert(item, 'held', due) THEN
    SELECT p.* INTO STRICT payment FROM x402_payments p WHERE p.payment_id = item ->> 'payment_id';
    PERFORM x402_payment_post(payment, 'credit');
    RETURN 'funded';
  END IF;
  SELECT p.* INTO payment FROM x402_payments p
    WHERE p.network = item ->> 'network' AND p.asset = item ->> 'asset' AND p.payer = item ->> 'payer'
      AND p.nonce = item ->> 'nonce' FOR NO KEY UPDATE;
  IF NOT FOUND OR (payment.user_id, payment.proof_sha256, payment.agent_id, payment.input_sha256) IS DISTINCT FROM
      (item ->> 'user_id', item ->> 'proof_sha256', item ->> 'agent_id', item ->> 'input_sha256') THEN
    RETURN 'reused';
  ELSIF payment.state = 'expired' THEN
    RETURN 'expired';
  ELSIF x402_payment_call_stands(payment.invocation_id) THEN
    RETURN 'joined';
  END IF;
  UPDATE x402_payments p SET invocation_id = item ->> 'invocation_id',
      state = CASE p.state WHEN 'released' THEN 'held' ELSE p.state END,
      credits = p.credits + CASE p.state WHEN 'released' THEN 1 ELSE 0 END,
      due_at = CASE WHEN p.state <> 'settled' THEN due END, reason = NULL
    WHERE p.payment_id = payment.payment_id;
  IF payment.state = 'released' THEN
    payment.credits := payment.credits + 1;
    PERFORM x402_payment_post(payment, 'credit');
  END IF;
  RETURN 'funded';
END $$;

REVOKE ALL ON FUNCTION x402_payment_open FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payment_open TO market_app;
