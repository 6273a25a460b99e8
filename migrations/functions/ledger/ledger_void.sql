-- Ends calls that failed, or were disputed while they ran: escrow → wallet in full, reference `invocation/<id>/void`.
-- `disputes[i]` makes the resolution `disputed` instead of `voided`.
-- Outcomes: voided | disputed | already_voided | already_disputed | already_captured | no_hold.
-- Called by: invocation_refund, dispute_stop_call, src/stores/ledger/ledger-moves.ts.
-- Locks: those of ledger_lock_holds: holds, then wallet and escrow.
CREATE OR REPLACE FUNCTION ledger_void(invocation_ids text[], disputes boolean[]) RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  result ledger_result;
  hold holds%ROWTYPE;
  refund_type text;
BEGIN
  PERFORM ledger_lock_holds(invocation_ids);
  FOR i IN 1 .. cardinality(invocation_ids) LOOP
    result := ROW (i, 'no_hold', NULL, NULL, NULL);
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i];
    IF FOUND AND hold.state <> 'open' THEN
      result := ledger_resolution(hold, i);
    ELSIF FOUND THEN
      result.outcome := CASE WHEN disputes[i] THEN 'disputed' ELSE 'voided' END;
      result.amount_units := hold.amount_units;
      UPDATE holds h SET state = result.outcome, resolved_at = now() WHERE h.invocation_id = hold.invocation_id;
      IF hold.amount_units > 0 THEN
        refund_type := CASE WHEN disputes[i] THEN 'dispute_refund' ELSE 'refund' END;
        result.transaction_id := ledger_post(
          CASE WHEN disputes[i] THEN 'dispute_refund' ELSE 'invocation_refund' END,
          'invocation/' || hold.invocation_id || '/void', hold.invocation_id, hold.agent_id,
          'Refund for ' || hold.agent_id, hold.trace_id,
          ARRAY[ledger_account(hold.buyer_user_id, 'escrow'), ledger_account(hold.buyer_user_id, 'wallet')],
          ARRAY[refund_type, refund_type], ARRAY[-hold.amount_units, hold.amount_units]);
      END IF;
      result.wallet_units := ledger_wallet_units(hold.buyer_user_id);
    END IF;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_void FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_void TO market_app;
