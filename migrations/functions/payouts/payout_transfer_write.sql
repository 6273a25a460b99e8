-- Writes a transfer over reserved payouts and marks them as processing. Returns false, and changes nothing, when it
-- was written before.
-- Called by: src/stores/payouts/payout-transfers.ts.
-- Locks: the key of the transfer, by its unique insert, then the payouts.
CREATE OR REPLACE FUNCTION payout_transfer_write(
  new_transfer_id text, monday timestamptz, attempt_no integer, on_network text, of_asset text, from_treasury text,
  with_nonce text, payout_ids text[], total bigint, valid_until timestamptz, first_block bigint, content bytea
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  named record;
BEGIN
  INSERT INTO payout_transfers (transfer_id, as_of, attempt, network, asset, treasury, nonce, payouts, total_minor,
                                valid_before, from_block, sealed)
  VALUES (new_transfer_id, monday, attempt_no, on_network, of_asset, from_treasury, with_nonce,
          cardinality(payout_ids), total, valid_until, first_block, content)
  ON CONFLICT (transfer_id) DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  WITH moved AS (
    UPDATE payouts p SET status = 'processing', transfer_id = new_transfer_id
    WHERE p.payout_id = ANY (payout_ids) AND p.status = 'pending' AND p.transfer_id IS NULL AND p.method = 'usdc'
      AND p.as_of = monday AND p.attempt = attempt_no AND p.currency = 'USDC' RETURNING p.amount_minor)
  SELECT count(*) AS n, sum(m.amount_minor) AS total INTO named FROM moved m;
  IF named.n <> cardinality(payout_ids) OR named.total IS DISTINCT FROM total THEN
    RAISE EXCEPTION 'transfer % names % payouts over %, there are % over %', new_transfer_id,
      cardinality(payout_ids), total, named.n, named.total USING ERRCODE = '23514';
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION payout_transfer_write FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_transfer_write TO market_app;
