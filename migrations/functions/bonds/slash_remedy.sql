-- Gives the amount of a broken warranty to the buyers of its month, in proportion to what the month has cost them, largest
-- remainders first. The parts sum to the amount.
-- Called by: slash_refund.
-- Locks: none of its own; the caller holds those of slash_refund.
CREATE OR REPLACE FUNCTION slash_remedy(slash slashes) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  hold_id bigint := ledger_account(slash.developer_user_id, 'slash_hold');
  buyer   record;
BEGIN
  WITH whole AS (
    SELECT sum(b.weight_units) AS total FROM slash_buyers b WHERE b.slash_id = slash.slash_id
  ), shares AS (
    SELECT b.buyer_user_id, div(slash.amount_units::numeric * b.weight_units, w.total) AS share,
      row_number() OVER (ORDER BY mod(slash.amount_units::numeric * b.weight_units, w.total) DESC, b.buyer_user_id) AS place,
      slash.amount_units - sum(div(slash.amount_units::numeric * b.weight_units, w.total)) OVER () AS left_over
    FROM slash_buyers b, whole w WHERE b.slash_id = slash.slash_id
  )
  UPDATE slash_buyers b SET refund_units = s.share + CASE WHEN s.place <= s.left_over THEN 1 ELSE 0 END
    FROM shares s WHERE b.slash_id = slash.slash_id AND b.buyer_user_id = s.buyer_user_id;
  FOR buyer IN SELECT b.* FROM slash_buyers b WHERE b.slash_id = slash.slash_id AND b.refund_units > 0
    ORDER BY b.buyer_user_id LOOP
    PERFORM ledger_post('slash_refund', 'slash/' || slash.slash_id || '/remedy/' || buyer.buyer_user_id, NULL, slash.agent_id,
      'Remedy of a broken warranty of ' || slash.agent_id, slash.trace_id,
      ARRAY[hold_id, ledger_account(buyer.buyer_user_id, 'wallet')], ARRAY['slash_refund', 'slash_refund'],
      ARRAY[-buyer.refund_units, buyer.refund_units]);
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION slash_remedy FROM PUBLIC, market_app;
