-- Ends a transfer and its payouts, paid or returned. Returns false when it had ended.
-- Called by: src/stores/payouts/payout-transfers.ts.
-- Locks: the transfer, its payouts in id order, then those of payout_settle.
CREATE OR REPLACE FUNCTION payout_transfer_end(
  ended_id text, is_confirmed boolean, hash text, why text, ended_when timestamptz
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  was payout_transfers%ROWTYPE;
  ended integer;
BEGIN
  SELECT t.* INTO was FROM payout_transfers t WHERE t.transfer_id = ended_id FOR UPDATE;
  IF was.state IN ('confirmed', 'failed') THEN
    RETURN false;
  END IF;
  UPDATE payout_transfers t SET state = CASE WHEN is_confirmed THEN 'confirmed' ELSE 'failed' END,
      tx_hash = coalesce(hash, t.tx_hash), reason = CASE WHEN NOT is_confirmed THEN coalesce(why, 'returned') END,
      ended_at = ended_when
    WHERE t.transfer_id = ended_id;
  ended := payout_settle(ARRAY(SELECT p.payout_id FROM payouts p WHERE p.transfer_id = ended_id), is_confirmed,
    coalesce(why, 'returned'), ended_when);
  IF ended <> was.payouts THEN
    RAISE EXCEPTION 'transfer % has % payouts, % had no end', ended_id, was.payouts, ended USING ERRCODE = '23514';
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION payout_transfer_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_transfer_end TO market_app;
