-- Returns the id of the transaction with this business reference, or null.
-- Called by: ledger_hold, ledger_resolution, ledger_clawback, ledger_pay_registration, ledger_top_up.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_transaction_of(business_reference text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT t.transaction_id FROM transaction_references t WHERE t.reference = business_reference
$$;

REVOKE ALL ON FUNCTION ledger_transaction_of FROM PUBLIC, market_app;
