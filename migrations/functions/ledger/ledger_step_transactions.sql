-- The transactions of the steps of a call, with their references: hold, and capture or void. They are named by the hold
-- of the call, those of earlier releases by transaction_references.
-- Called by: src/stores/evidence/evidence.ts, src/stores/ledger/ledger-reads.ts, src/stores/ledger/ledger-window.ts,
-- src/stores/operations/whereabouts.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_step_transactions(call_id text) RETURNS TABLE (reference text, transaction_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT 'invocation/' || call_id || s.step, s.transaction_id
  FROM all_holds h, LATERAL (VALUES
    ('/hold', h.hold_transaction_id),
    (CASE h.state WHEN 'captured' THEN '/capture' ELSE '/void' END, h.end_transaction_id)) s(step, transaction_id)
  WHERE h.invocation_id = call_id AND s.transaction_id IS NOT NULL
  UNION ALL
  SELECT r.reference, r.transaction_id FROM transaction_references r
  WHERE r.reference = ANY (ARRAY['invocation/' || call_id || '/hold', 'invocation/' || call_id || '/capture',
    'invocation/' || call_id || '/void'])
$$;

REVOKE ALL ON FUNCTION ledger_step_transactions FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_step_transactions TO market_app;
