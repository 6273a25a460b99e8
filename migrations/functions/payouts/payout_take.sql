-- Writes one step of a reservation: the payout, its lots, in the first step its carries, and the posting. The last step
-- makes the payout pending, or fails it with the reason of its terms.
-- Called by: payout_reserve.
-- Locks: none of its own; the caller has locked payable.
CREATE OR REPLACE FUNCTION payout_take(
  made payouts, is_new boolean, taken bigint, lot_ids text[], is_last boolean, addresses text[]
) RETURNS payouts
LANGUAGE plpgsql AS $$
DECLARE
  failure text := CASE WHEN is_last THEN made.reason END;
BEGIN
  made.reason := NULL;
  made.steps := made.steps + 1;
  IF NOT is_last OR failure IS NOT NULL THEN
    made.amount_units := made.lots_units + made.carried_units;
    made.remainder_units := 0;
    made.amount_minor := NULL;
  ELSE
    made.status := 'pending';
  END IF;
  IF is_new THEN
    INSERT INTO payouts SELECT made.*;
    UPDATE payout_carries c SET into_payout_id = made.payout_id
      FROM payout_open_carries(made.developer_user_id, made.pay_to, addresses, made.as_of) o
      WHERE c.payout_id = o.payout_id AND c.kind = o.kind;
  ELSE
    UPDATE payouts p SET status = made.status, method = made.method, method_id = made.method_id,
        lots_units = made.lots_units, lots = made.lots, lots_from = made.lots_from, lots_until = made.lots_until,
        amount_units = made.amount_units, remainder_units = made.remainder_units, amount_minor = made.amount_minor,
        currency = made.currency, spot_rate = made.spot_rate, rate = made.rate, rate_at = made.rate_at,
        steps = made.steps
      WHERE p.payout_id = made.payout_id;
  END IF;
  UPDATE earnings e SET payout_id = made.payout_id, late = false WHERE e.invocation_id = ANY (lot_ids);
  PERFORM payout_post_reserve(made, taken, is_last);
  IF made.status = 'pending' AND made.remainder_units > 0 THEN
    INSERT INTO payout_carries (payout_id, kind, developer_user_id, amount_units)
    VALUES (made.payout_id, 'remainder', made.developer_user_id, made.remainder_units);
  END IF;
  IF made.status = 'pending' THEN
    PERFORM payout_event('payout.initiated', made);
  ELSIF failure IS NOT NULL THEN
    PERFORM payout_settle(ARRAY[made.payout_id], false, failure, now());
    SELECT p.* INTO made FROM payouts p WHERE p.payout_id = made.payout_id;
  END IF;
  RETURN made;
END $$;

REVOKE ALL ON FUNCTION payout_take FROM PUBLIC, market_app;
