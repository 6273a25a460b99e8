-- Ends a call that succeeded: releases the hold to the wallet and takes the charge from it in one transaction,
-- reference `invocation/<id>/capture`. The buyer's list shows hold, release and charge, each with its running balance:
-- escrow −hold, wallet +hold, wallet −gross, payable +net, fees +fee. Makes one lot of earnings. The fee is
-- the fee_percent of the version that was called; a charge is whole credits, so nothing is rounded. A charge of 0 moves
-- the hold back and makes no lot.
-- Outcomes: captured | already_captured | already_voided | already_disputed | no_hold.
-- Called by: ledger_capture, invocation_settle.
-- Locks: the hold, then wallet and escrow of its buyer. Credits of payable and fees wait in pending_rollups without a
-- lock.
CREATE OR REPLACE FUNCTION ledger_capture_one(call_id text, gross bigint, matures timestamptz) RETURNS ledger_result
LANGUAGE plpgsql AS $$
DECLARE
  hold   holds%ROWTYPE;
  terms  record;
  posted record;
  fee    bigint := 0;
BEGIN
  IF gross IS NULL OR gross < 0 OR gross % 100 <> 0 THEN
    RAISE EXCEPTION 'cannot capture % of hold %', gross, call_id USING ERRCODE = '23514';
  END IF;
  UPDATE holds h SET state = 'captured', captured_units = gross, resolved_at = now()
    WHERE h.invocation_id = call_id AND h.state = 'open' RETURNING h.* INTO hold;
  IF NOT FOUND THEN
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = call_id;
    IF NOT FOUND THEN RETURN ROW (1, 'no_hold', NULL, NULL, NULL)::ledger_result; END IF;
    RETURN ledger_resolution(hold, 1);
  END IF;
  IF gross > 0 THEN
    -- The terms of the version that was called. A hold without a version in the catalogue pays the rate of today.
    SELECT coalesce((SELECT v.fee_percent FROM agent_versions v WHERE v.version_id = hold.version_id),
        (SELECT s.fee_percent FROM platform_settings s)) AS percent,
        ledger_account(hold.developer_user_id, 'payable') AS payable_id INTO STRICT terms;
    fee := gross * terms.percent / 100;
    INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units,
                          matures_at, late)
    VALUES (hold.invocation_id, hold.developer_user_id, hold.agent_id, gross, fee, terms.percent, gross - fee,
            matures, matures < now() + interval '1 hour');
    posted := ledger_post_call(hold, 'capture', gross, fee, terms.payable_id);
  ELSE
    posted := ledger_post_call(hold, 'capture', 0, 0, NULL);
  END IF;
  RETURN ROW (1, 'captured', posted.new_transaction_id, gross,
    coalesce(posted.wallet_units, ledger_wallet_units(hold.buyer_user_id)))::ledger_result;
END $$;

REVOKE ALL ON FUNCTION ledger_capture_one FROM PUBLIC, market_app;
