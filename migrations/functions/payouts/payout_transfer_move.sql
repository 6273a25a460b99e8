-- Moves a transfer that is on its way. Returns false when it is in none of the states from_states. A known hash stays.
-- Called by: src/stores/payouts/payout-transfers.ts.
-- Locks: the transfer.
CREATE OR REPLACE FUNCTION payout_transfer_move(
  moved_id text, from_states text[], to_state text, hash text, why text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF to_state NOT IN ('pending', 'unknown', 'submitted') THEN
    RAISE EXCEPTION 'a transfer ends by payout_transfer_end' USING ERRCODE = '23514';
  END IF;
  UPDATE payout_transfers t SET state = to_state, tx_hash = coalesce(hash, t.tx_hash), reason = why,
      sent_at = CASE to_state WHEN 'unknown' THEN coalesce(t.sent_at, now()) ELSE t.sent_at END
    WHERE t.transfer_id = moved_id AND t.state = ANY (from_states);
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION payout_transfer_move FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_transfer_move TO market_app;
