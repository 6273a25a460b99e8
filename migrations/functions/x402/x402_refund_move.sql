-- Moves a refund that is on its way. Returns false when it is in none of the states from_states. A known hash stays.
-- Called by: src/stores/x402/x402-refunds.ts.
-- Locks: the refund.
CREATE OR REPLACE FUNCTION x402_refund_move(id text, from_states text[], to_state text, hash text, why text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE x402_refunds r SET state = to_state, tx_hash = coalesce(hash, r.tx_hash), reason = why
    WHERE r.refund_id = id AND r.state = ANY (from_states) AND to_state IN ('pending', 'unknown', 'submitted');
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION x402_refund_move FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_refund_move TO market_app;
