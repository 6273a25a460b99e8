-- Returns the id of the transaction with this business reference, or null. Those of the steps of a call are named by
-- its hold (ledger_step_transactions); only those of earlier releases are found here.
-- Called by: ledger_clawback, ledger_hold, ledger_pay_registration, ledger_resolution, ledger_top_up.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_transaction_of(business_reference text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT t.transaction_id FROM transaction_references t WHERE t.reference = business_reference
$$;

REVOKE ALL ON FUNCTION ledger_transaction_of FROM PUBLIC, market_app;
