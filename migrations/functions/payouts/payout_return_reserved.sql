-- Returns reserved payouts that are in no transfer and no file, also while they are being reserved. Returns how many.
-- Called by: src/stores/payouts/payout-transfers.ts.
-- Locks: the payouts in id order, then those of payout_settle.
CREATE OR REPLACE FUNCTION payout_return_reserved(payout_ids text[], why text, ended_when timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM payouts p WHERE p.payout_id = ANY (payout_ids) ORDER BY p.payout_id FOR NO KEY UPDATE;
  RETURN payout_settle(ARRAY(SELECT p.payout_id FROM payouts p WHERE p.payout_id = ANY (payout_ids)
    AND p.status IN ('reserving', 'pending') AND num_nonnulls(p.transfer_id, p.file_id) = 0), false, why, ended_when);
END $$;

REVOKE ALL ON FUNCTION payout_return_reserved FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_return_reserved TO market_app;
