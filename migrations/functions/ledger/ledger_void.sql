-- Ends calls that failed, or were disputed while they ran: escrow → wallet in full, reference `invocation/<id>/void`.
-- `disputes[i]` makes the resolution `disputed` instead of `voided`.
-- Outcomes: voided | disputed | already_voided | already_disputed | already_captured | no_hold.
-- Called by: dispute_stop_call, invocation_refund, src/stores/ledger/ledger-moves.ts.
-- Locks: the hold, then wallet and escrow of its buyer; for more than one call those of ledger_lock_holds before.
CREATE OR REPLACE FUNCTION ledger_void(invocation_ids text[], disputes boolean[]) RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  result ledger_result;
  hold holds%ROWTYPE;
  units_left bigint;
BEGIN
  IF cardinality(invocation_ids) > 1 THEN PERFORM ledger_lock_holds(invocation_ids); END IF;
  FOR i IN 1 .. cardinality(invocation_ids) LOOP
    result := ROW (i, 'no_hold', NULL, NULL, NULL);
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i] FOR NO KEY UPDATE;
    IF FOUND AND hold.state <> 'open' THEN
      result := ledger_resolution(hold, i);
    ELSIF FOUND THEN
      result.outcome := CASE WHEN disputes[i] THEN 'disputed' ELSE 'voided' END;
      result.amount_units := hold.amount_units;
      UPDATE holds h SET state = result.outcome, resolved_at = now(),
          end_transaction_id = CASE WHEN h.amount_units > 0 THEN ledger_new_id('txn') END
        WHERE h.invocation_id = hold.invocation_id RETURNING h.* INTO hold;
      units_left := ledger_post_step(hold, CASE WHEN disputes[i] THEN 'dispute' ELSE 'void' END);
      result.transaction_id := hold.end_transaction_id;
      result.wallet_units := coalesce(units_left, ledger_wallet_units(hold.buyer_user_id));
    END IF;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_void FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_void TO market_app;
