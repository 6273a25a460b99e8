-- Records that a payment is on the chain. If its credits were taken back, they are given again: they belong to the payer,
-- whatever became of the call. Returns false if it had ended.
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the payment, then the wallet of its payer.
CREATE OR REPLACE FUNCTION x402_payment_settle(id text, hash text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE payment x402_payments%ROWTYPE;
BEGIN
  SELECT p.* INTO payment FROM x402_payments p WHERE p.payment_id = id FOR NO KEY UPDATE;
  IF payment.state IS NULL OR payment.state NOT IN ('held', 'released') THEN RETURN false; END IF;
  UPDATE x402_payments p SET state = 'settled', tx_hash = hash, reason = NULL, due_at = NULL, ended_at = now(),
      credits = p.credits + CASE p.state WHEN 'released' THEN 1 ELSE 0 END
    WHERE p.payment_id = id;
  IF payment.state = 'released' THEN
    payment.credits := payment.credits + 1;
    PERFORM x402_payment_post(payment, 'credit');
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION x402_payment_settle FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payment_settle TO market_app;
