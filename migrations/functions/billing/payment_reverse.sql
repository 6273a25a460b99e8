-- Records a step of a refund or a chargeback. Steps: open (a dispute began, nothing moves), take, close (a dispute
-- ended and cost nothing), return (a dispute was won). Steps may arrive in any order and repeatedly: `take` comes after
-- `close`, and `return` ends all.
-- Outcomes: open | waiting | taken | closed | returned | unchanged | mismatched.
-- Called by: src/stores/billing/payment-reversals.ts.
-- Locks: the payment by an advisory lock, the event, the wallet, then the reversals of its owner.
CREATE OR REPLACE FUNCTION payment_reverse(
  provider_name text, event text, event_type text, reversal text, reversal_kind text, step text, payment text,
  reversed_minor bigint, reversed_currency text
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE known payment_reversals%ROWTYPE;
BEGIN
  PERFORM payment_lock(payment);
  IF NOT payment_event_is_new(provider_name, event, event_type, payment) THEN RETURN 'unchanged'; END IF;
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM payments p JOIN topups t ON t.topup_id = p.credited_topup_id
    JOIN accounts a ON a.user_id = t.user_id AND a.kind = 'wallet' WHERE p.payment_id = payment));
  INSERT INTO payment_reversals (reversal_id, provider, kind, payment_id, amount_minor, currency, state)
  VALUES (reversal, provider_name, reversal_kind, payment, reversed_minor, reversed_currency, 'open')
  ON CONFLICT DO NOTHING;
  SELECT r.* INTO known FROM payment_reversals r WHERE r.reversal_id = reversal FOR NO KEY UPDATE;
  IF (known.payment_id, known.kind) IS DISTINCT FROM (payment, reversal_kind) THEN RETURN 'mismatched'; END IF;
  IF step = 'take' AND known.state IN ('open', 'closed') THEN
    UPDATE payment_reversals r
    SET state = 'waiting', amount_minor = reversed_minor, currency = reversed_currency WHERE r.reversal_id = reversal;
    PERFORM payment_take_waiting(payment);
  ELSIF step = 'close' AND known.state = 'open' THEN
    UPDATE payment_reversals r SET state = 'closed' WHERE r.reversal_id = reversal;
  ELSIF step = 'return' AND known.state <> 'returned' THEN
    PERFORM payment_give_back(known);
  ELSIF step <> 'open' THEN
    RETURN 'unchanged';
  END IF;
  RETURN (SELECT r.state FROM payment_reversals r WHERE r.reversal_id = reversal);
END $$;

REVOKE ALL ON FUNCTION payment_reverse FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payment_reverse TO market_app;
