-- Takes back a payout that was paid and that the bank returned days later: cash → payable, reference
-- `payout/<id>/late-return`, with a carry. The method is not used again until the developer sets one anew. Returns
-- false when the payout is not paid by a file.
-- Called by: src/stores/payouts/payouts.ts.
-- Locks: the payout, then payable.
CREATE OR REPLACE FUNCTION payout_late_return(of_payout_id text, why text, returned_when timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  made payouts%ROWTYPE;
  payable_id bigint;
BEGIN
  SELECT p.* INTO made FROM payouts p WHERE p.payout_id = of_payout_id FOR NO KEY UPDATE;
  IF made.status IS DISTINCT FROM 'paid' OR made.file_id IS NULL THEN
    RETURN false;
  END IF;
  payable_id := ledger_account(made.developer_user_id, 'payable');
  PERFORM ledger_lock(ARRAY[payable_id]);
  made.status := 'returned';
  made.reason := why;
  UPDATE payouts p SET status = made.status, reason = made.reason WHERE p.payout_id = of_payout_id;
  UPDATE payout_methods m SET returned_at = returned_when WHERE m.method_id = made.method_id AND m.returned_at IS NULL;
  INSERT INTO payout_carries (payout_id, kind, developer_user_id, amount_units)
  VALUES (made.payout_id, 'returned', made.developer_user_id, made.amount_units);
  PERFORM ledger_post('payout', 'payout/' || made.payout_id || '/late-return', NULL, NULL,
    'Payout returned by the bank: ' || made.payout_id, made.trace_id, ARRAY[1, payable_id], ARRAY['payout', 'payout'],
    ARRAY[-made.amount_units, made.amount_units]);
  PERFORM payout_event('payout.failed', made);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION payout_late_return FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_late_return TO market_app;
