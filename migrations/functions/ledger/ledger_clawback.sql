-- Takes back charges after disputes that buyers won, reference `invocation/<id>/clawback`: whole, or a part of so many units
-- (parts; null: whole). The buyer gets the gross back, less what slashes have refunded of it (contract, "Disputes"), and never
-- more: a part that is not less than that is the whole. amount_units: what the buyer gets.
-- Outcomes: clawed_back | returned_in_part | already_clawed_back | nothing_charged | not_captured | no_hold.
-- Called by: dispute_refund_charge, src/stores/ledger/ledger-moves.ts.
-- Locks: those of ledger_lock_clawback: holds, then accounts.
CREATE OR REPLACE FUNCTION ledger_clawback(invocation_ids text[], parts bigint[] DEFAULT NULL) RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  result ledger_result;
  hold holds%ROWTYPE;
  lot earnings%ROWTYPE;
  rest bigint;
BEGIN
  PERFORM ledger_lock_clawback(invocation_ids);
  FOR i IN 1 .. cardinality(invocation_ids) LOOP
    result := ROW (i, NULL, NULL, NULL, NULL);
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i];
    SELECT e.* INTO lot FROM earnings e WHERE e.invocation_id = invocation_ids[i];
    -- The lock on the developer's payable keeps slashes from refunding more meanwhile.
    rest := lot.gross_units - slash_refunded(invocation_ids[i]);
    result.amount_units := CASE WHEN lot.invocation_id IS NOT NULL THEN coalesce(lot.returned_units, least(parts[i], rest)) END;
    IF parts[i] <= 0 THEN
      RAISE EXCEPTION 'cannot take % of call % back', parts[i], invocation_ids[i] USING ERRCODE = '23514';
    ELSIF hold.invocation_id IS NULL THEN
      result.outcome := 'no_hold';
    ELSIF hold.state <> 'captured' THEN
      result.outcome := 'not_captured';
    ELSIF lot.invocation_id IS NULL THEN
      result.outcome := 'nothing_charged';
    ELSIF lot.clawed_back_at IS NOT NULL OR lot.returned_units IS NOT NULL THEN
      result.outcome := 'already_clawed_back';
      result.transaction_id := ledger_transaction_of('invocation/' || lot.invocation_id || '/clawback');
    ELSE
      result.transaction_id := ledger_post_clawback(hold, lot, CASE WHEN parts[i] < rest THEN parts[i] END);
      result.outcome := CASE WHEN parts[i] < rest THEN 'returned_in_part' ELSE 'clawed_back' END;
      result.wallet_units := ledger_wallet_units(hold.buyer_user_id);
    END IF;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_clawback FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_clawback TO market_app;
