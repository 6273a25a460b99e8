-- Ends a refund: it is on the chain, or its transfer ended unused and the credits return to the wallet, reference
-- `x402refund/<id>/return`. Returns false when it had ended.
-- Called by: src/stores/x402/x402-refunds.ts.
-- Locks: the refund, then the wallet.
CREATE OR REPLACE FUNCTION x402_refund_end(id text, is_confirmed boolean, hash text, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  refund x402_refunds%ROWTYPE;
  wallet_id bigint;
BEGIN
  SELECT r.* INTO refund FROM x402_refunds r WHERE r.refund_id = id FOR NO KEY UPDATE;
  IF refund.state IS NULL OR refund.state IN ('confirmed', 'failed') THEN RETURN false; END IF;
  UPDATE x402_refunds r SET state = CASE WHEN is_confirmed THEN 'confirmed' ELSE 'failed' END,
      tx_hash = coalesce(hash, r.tx_hash), reason = CASE WHEN NOT is_confirmed THEN coalesce(why, 'returned') END,
      due_at = NULL, ended_at = now()
    WHERE r.refund_id = id;
  IF NOT is_confirmed THEN
    wallet_id := ledger_account(refund.user_id, 'wallet');
    PERFORM ledger_lock(ARRAY[wallet_id]);
    PERFORM ledger_post('x402_refund', 'x402refund/' || id || '/return', NULL, NULL, 'Not sent back: the transfer failed',
      refund.trace_id, ARRAY[1, 2, 2, wallet_id], array_fill('x402_refund'::text, ARRAY[4]),
      ARRAY[-refund.amount_units, refund.amount_units, -refund.amount_units, refund.amount_units]);
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION x402_refund_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_refund_end TO market_app;
