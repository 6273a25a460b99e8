-- Carries out an operator's decision about a quarantined payment. With a receiver, the money becomes a new top-up of
-- that account, over the amount that was paid; without one, it was returned at the provider. The pending top-up that
-- the payment did not fit ends, because its page was used. Reversals that waited for the decision are taken. Outcomes:
-- resolved | no_payment | not_quarantined.
-- Called by: src/stores/billing/payments.ts.
-- Locks: the payment by an advisory lock and its row, the top-up, then those of billing_complete_topups.
CREATE OR REPLACE FUNCTION payment_resolve(
  payment text, receiver text, new_topup text, units bigint, trace text, tax bigint, tax_terms jsonb
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE paid payments%ROWTYPE;
BEGIN
  PERFORM payment_lock(payment);
  SELECT p.* INTO paid FROM payments p WHERE p.payment_id = payment FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'no_payment'; END IF;
  IF paid.state <> 'quarantined' THEN RETURN 'not_quarantined'; END IF;
  UPDATE topups t SET status = 'failed', completed_at = now()
    WHERE t.topup_id = paid.topup_id AND t.status = 'pending';
  IF receiver IS NULL THEN
    UPDATE payments p SET state = 'resolved_returned', resolved_at = now() WHERE p.payment_id = payment;
    PERFORM payment_take_waiting(payment);
    RETURN 'resolved';
  END IF;
  INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, provider_reference, trace_id,
                      tax_minor, terms)
  VALUES (new_topup, receiver, paid.amount_minor, paid.currency, units, paid.provider, payment, trace, tax, tax_terms);
  PERFORM billing_complete_topups(ARRAY[new_topup]);
  UPDATE payments p SET state = 'resolved_credited', credited_topup_id = new_topup, resolved_at = now()
    WHERE p.payment_id = payment;
  PERFORM payment_take_waiting(payment);
  RETURN 'resolved';
END $$;

REVOKE ALL ON FUNCTION payment_resolve FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payment_resolve TO market_app;
