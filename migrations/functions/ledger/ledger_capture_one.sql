-- Ends a call that succeeded: releases the hold to the wallet and takes the charge from it in one transaction,
-- reference `invocation/<id>/capture`. The buyer's list shows hold, release and charge, each with its running balance.
-- A charge of 0 moves the hold back and makes no lot of earnings. called_at, duration_ms and is_job are those of the
-- call, for the usage of its agent; null when there is none.
-- Outcomes: captured | already_captured | already_voided | already_disputed | no_hold.
-- Called by: invocation_refund, invocation_settle, ledger_capture.
-- Locks: the hold, then wallet and escrow of its buyer. Credits of payable and fees wait in pending_rollups without a
-- lock.
CREATE OR REPLACE FUNCTION ledger_capture_one(
  call_id text, gross bigint, matures timestamptz, called_at timestamptz, duration_ms integer, is_job boolean
) RETURNS ledger_result
LANGUAGE plpgsql AS $$
DECLARE
  hold       holds%ROWTYPE;
  units_left bigint;
BEGIN
  IF gross IS NULL OR gross < 0 OR gross % 100 <> 0 THEN
    RAISE EXCEPTION 'cannot capture % of hold %', gross, call_id USING ERRCODE = '23514';
  END IF;
  UPDATE holds h SET state = 'captured', captured_units = gross, resolved_at = now(),
      end_transaction_id = CASE WHEN h.amount_units > 0 THEN ledger_new_id('txn') END
    WHERE h.invocation_id = call_id AND h.state = 'open' RETURNING h.* INTO hold;
  IF NOT FOUND THEN
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = call_id;
    IF NOT FOUND THEN RETURN ROW (1, 'no_hold', NULL, NULL, NULL)::ledger_result; END IF;
    RETURN ledger_resolution(hold, 1);
  END IF;
  IF gross > 0 THEN
    units_left := ledger_post_charge(hold, matures, called_at, duration_ms, is_job);
  ELSE
    units_left := ledger_post_step(hold, 'capture');
  END IF;
  RETURN ROW (1, 'captured', hold.end_transaction_id, gross,
    coalesce(units_left, ledger_wallet_units(hold.buyer_user_id)))::ledger_result;
END $$;

REVOKE ALL ON FUNCTION ledger_capture_one FROM PUBLIC, market_app;
