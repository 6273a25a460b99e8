-- Ends calls that succeeded: releases the hold to the wallet and takes the charge from it in one transaction,
-- reference `invocation/<id>/capture`. The buyer's list shows hold, release and charge, each with its running balance:
-- escrow −hold, wallet +hold, wallet −gross, payable +net, fees +fee. Makes one lot of earnings. The fee is
-- the fee_percent of the version that was called; a charge is whole credits, so nothing is rounded. A charge of 0 moves
-- the hold back and makes no lot.
-- Outcomes: captured | already_captured | already_voided | already_disputed | no_hold.
-- Called by: invocation_settle, src/stores/ledger/ledger-moves.ts.
-- Locks: those of ledger_lock_holds: holds, then wallet and escrow. Credits of payable and fees wait in
-- pending_rollups without a lock.
CREATE OR REPLACE FUNCTION ledger_capture(invocation_ids text[], gross_amounts bigint[], matures_ats timestamptz[])
RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  result ledger_result;
  hold holds%ROWTYPE;
  gross bigint;
  fee bigint;
  percent smallint;
BEGIN
  PERFORM ledger_lock_holds(invocation_ids);
  FOR i IN 1 .. cardinality(invocation_ids) LOOP
    result := ROW (i, NULL, NULL, NULL, NULL);
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i];
    IF NOT FOUND THEN
      result.outcome := 'no_hold';
      RETURN NEXT result;
      CONTINUE;
    ELSIF hold.state <> 'open' THEN
      result := ledger_resolution(hold, i);
      RETURN NEXT result;
      CONTINUE;
    END IF;
    gross := gross_amounts[i];
    IF gross IS NULL OR gross < 0 OR gross > hold.amount_units OR gross % 100 <> 0 THEN
      RAISE EXCEPTION 'cannot capture % of hold % over %', gross, hold.invocation_id, hold.amount_units
        USING ERRCODE = '23514';
    END IF;
    -- The terms of the version that was called. A hold without a version in the catalogue pays the rate of today.
    SELECT coalesce((SELECT v.fee_percent FROM agent_versions v WHERE v.version_id = hold.version_id), s.fee_percent)
      INTO STRICT percent FROM platform_settings s;
    fee := gross * percent / 100;
    UPDATE holds h SET state = 'captured', captured_units = gross, resolved_at = now()
      WHERE h.invocation_id = hold.invocation_id;
    IF gross > 0 THEN
      INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units,
                            matures_at, late)
      VALUES (hold.invocation_id, hold.developer_user_id, hold.agent_id, gross, fee, percent, gross - fee,
              matures_ats[i], matures_ats[i] < now() + interval '1 hour');
    END IF;
    result := ROW (i, 'captured', ledger_post_capture(hold, gross, fee), gross, NULL);
    result.wallet_units := ledger_wallet_units(hold.buyer_user_id);
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_capture FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_capture TO market_app;
