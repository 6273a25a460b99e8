-- Completes top-ups that were paid: credits the wallet, marks the top-up as succeeded and issues its invoice, once.
-- Debts of reversed payments are paid from the wallet first.
-- Outcomes: credited | already_credited | already_failed | no_topup.
-- Called by: payment_record, payment_resolve, src/stores/ledger/ledger-moves.ts.
-- Locks: the top-ups in id order, the wallets in id order, the invoice series, then the debts of
-- reversed payments.
CREATE OR REPLACE FUNCTION billing_complete_topups(topup_ids text[]) RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  result ledger_result;
  topup topups%ROWTYPE;
BEGIN
  PERFORM 1 FROM topups t WHERE t.topup_id = ANY (topup_ids) ORDER BY t.topup_id FOR NO KEY UPDATE;
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM accounts a JOIN topups t ON t.user_id = a.user_id
    WHERE t.topup_id = ANY (topup_ids) AND t.status = 'pending' AND a.kind = 'wallet'));
  FOR i IN 1 .. cardinality(topup_ids) LOOP
    SELECT t.* INTO topup FROM topups t WHERE t.topup_id = topup_ids[i];
    IF NOT FOUND THEN
      result := ROW (i, 'no_topup', NULL, NULL, NULL);
    ELSIF topup.status = 'failed' THEN
      result := ROW (i, 'already_failed', NULL, topup.amount_units, NULL);
    ELSE
      SELECT t.* INTO result FROM ledger_top_up(
        ARRAY[topup.topup_id], ARRAY[topup.user_id], ARRAY[topup.amount_units],
        ARRAY['Top-up of ' || topup.currency || ' ' || to_char(topup.amount_minor / 100.0, 'FM999999999990.00')],
        ARRAY[topup.trace_id]) t;
      result.ordinality := i;
      IF topup.status = 'pending' THEN
        UPDATE topups t SET status = 'succeeded', completed_at = now() WHERE t.topup_id = topup.topup_id;
        PERFORM billing_issue_invoice(topup);
        PERFORM payment_debts_pay(topup.user_id, topup.topup_id, topup.trace_id);
        result.wallet_units := ledger_wallet_units(topup.user_id);
      END IF;
    END IF;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION billing_complete_topups FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION billing_complete_topups TO market_app;
