-- Moves the amount of a payment into the wallet of its payer (step: credit) or back out of it (release):
-- cash → topup_clearing → wallet, reference `x402/<id>/<step>/<n>`, where n counts the credits of the payment.
-- Called by: x402_payment_open, x402_payment_release, x402_payment_settle.
-- Locks: the wallet; the caller has locked the payment.
CREATE OR REPLACE FUNCTION x402_payment_post(payment x402_payments, step text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  wallet_id bigint := ledger_account(payment.user_id, 'wallet');
  units bigint := CASE step WHEN 'credit' THEN payment.amount_units ELSE -payment.amount_units END;
  lines bigint[] := CASE step WHEN 'credit' THEN ARRAY[1, 2, 2, wallet_id] ELSE ARRAY[wallet_id, 2, 2, 1] END;
BEGIN
  PERFORM ledger_lock(ARRAY[wallet_id]);
  PERFORM ledger_post('x402_payment', 'x402/' || payment.payment_id || '/' || step || '/' || payment.credits, NULL, NULL,
    CASE step WHEN 'credit' THEN 'Payment by x402 from ' ELSE 'Payment by x402 not settled, from ' END || payment.payer,
    payment.trace_id, lines, array_fill('x402_payment'::text, ARRAY[4]),
    CASE step WHEN 'credit' THEN ARRAY[-units, units, -units, units] ELSE ARRAY[units, -units, units, -units] END);
END $$;

REVOKE ALL ON FUNCTION x402_payment_post FROM PUBLIC, market_app;
