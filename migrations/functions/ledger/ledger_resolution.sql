-- Returns the result that capture and void give for a hold that is already resolved.
-- Called by: ledger_capture_one, ledger_void.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_resolution(hold holds, item integer) RETURNS ledger_result
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ROW (
    item, 'already_' || hold.state,
    coalesce(hold.end_transaction_id, ledger_transaction_of('invocation/' || hold.invocation_id
      || CASE hold.state WHEN 'captured' THEN '/capture' ELSE '/void' END)),
    coalesce(hold.captured_units, hold.amount_units), NULL)::ledger_result;
END $$;

REVOKE ALL ON FUNCTION ledger_resolution FROM PUBLIC, market_app;
