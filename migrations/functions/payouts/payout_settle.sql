-- Ends payouts: paid (payout_clearing → cash, `payout/<id>/paid`) or failed (payout_clearing → payable,
-- `payout/<id>/return`, with a carry). Returns how many it ended; payouts that have ended stay as they are.
-- Called by: payout_return_reserved, payout_take, payout_transfer_end, src/stores/payouts/payouts.ts.
-- Locks: the payouts in id order, then, when they failed, payable in id order.
CREATE OR REPLACE FUNCTION payout_settle(payout_ids text[], is_paid boolean, failure text, ended_at timestamptz)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  made payouts%ROWTYPE;
  ended integer := 0;
  target bigint;
BEGIN
  PERFORM 1 FROM payouts p WHERE p.payout_id = ANY (payout_ids) ORDER BY p.payout_id FOR NO KEY UPDATE;
  IF NOT is_paid THEN
    PERFORM ledger_lock(ARRAY(SELECT a.account_id FROM accounts a JOIN payouts p ON p.developer_user_id = a.user_id
      WHERE p.payout_id = ANY (payout_ids) AND a.kind = 'payable'));
  END IF;
  FOR made IN SELECT p.* FROM payouts p WHERE p.payout_id = ANY (payout_ids)
    AND p.status IN ('reserving', 'pending', 'processing') ORDER BY p.payout_id
  LOOP
    made.status := CASE WHEN is_paid THEN 'paid' ELSE 'failed' END;
    made.reason := CASE WHEN NOT is_paid THEN coalesce(failure, 'returned') END;
    UPDATE payouts p SET status = made.status, reason = made.reason, completed_at = ended_at
      WHERE p.payout_id = made.payout_id;
    target := 1;
    IF NOT is_paid THEN
      target := ledger_account(made.developer_user_id, 'payable');
      INSERT INTO payout_carries (payout_id, kind, developer_user_id, amount_units)
      VALUES (made.payout_id, 'returned', made.developer_user_id, made.amount_units);
    END IF;
    PERFORM ledger_post('payout', 'payout/' || made.payout_id || CASE WHEN is_paid THEN '/paid' ELSE '/return' END,
      NULL, NULL, CASE WHEN is_paid THEN 'Paid out' ELSE 'Payout returned' END || ': ' || made.payout_id,
      made.trace_id, ARRAY[3, target], ARRAY['payout', 'payout'], ARRAY[-made.amount_units, made.amount_units]);
    PERFORM payout_event(CASE WHEN is_paid THEN 'payout.completed' ELSE 'payout.failed' END, made);
    ended := ended + 1;
  END LOOP;
  RETURN ended;
END $$;

REVOKE ALL ON FUNCTION payout_settle FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_settle TO market_app;
