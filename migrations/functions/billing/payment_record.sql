-- Records a captured payment: credits the top-up that its reference names when everything fits, else quarantines it.
-- Reversals that arrived before it are taken from its credits.
-- Outcomes: credited | quarantined | repeated.
-- Called by: src/stores/billing/payments.ts.
-- Locks: the payment by an advisory lock, the event, the top-up, then those of billing_complete_topups.
CREATE OR REPLACE FUNCTION payment_record(
  provider_name text, event text, event_type text, payment text, named_topup text, paid_minor bigint, paid_currency text
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  topup    topups%ROWTYPE;
  known    boolean;
  problem  text;
  credited text;
BEGIN
  PERFORM payment_lock(payment);
  IF NOT payment_event_is_new(provider_name, event, event_type, payment) THEN RETURN 'repeated'; END IF;
  SELECT t.* INTO topup FROM topups t WHERE t.topup_id = named_topup AND t.provider = provider_name
    FOR NO KEY UPDATE;
  known := FOUND;
  problem := CASE
    WHEN NOT known THEN 'unknown_topup'
    WHEN topup.currency <> paid_currency THEN 'currency_mismatch'
    WHEN topup.amount_minor <> paid_minor THEN 'amount_mismatch'
    WHEN topup.status = 'failed' THEN 'topup_closed'
    WHEN topup.status = 'succeeded' THEN 'paid_twice' END;
  INSERT INTO payments (payment_id, provider, reference, amount_minor, currency, topup_id, state, quarantine_reason,
                        credited_topup_id)
  VALUES (payment, provider_name, named_topup, paid_minor, paid_currency, CASE WHEN known THEN topup.topup_id END,
          CASE WHEN problem IS NULL THEN 'credited' ELSE 'quarantined' END, problem,
          CASE WHEN problem IS NULL THEN topup.topup_id END)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN 'repeated'; END IF;
  IF problem IS NOT NULL THEN RETURN 'quarantined'; END IF;
  SELECT r.outcome INTO credited FROM billing_complete_topups(ARRAY[topup.topup_id]) r;
  IF credited <> 'credited' THEN
    RAISE EXCEPTION 'top-up % was %, not credited', topup.topup_id, credited USING ERRCODE = '23514';
  END IF;
  PERFORM payment_take_waiting(payment);
  RETURN 'credited';
END $$;

REVOKE ALL ON FUNCTION payment_record FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payment_record TO market_app;
