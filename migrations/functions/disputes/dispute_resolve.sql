-- Records the operator's decision about a contested case (decision: buyer | developer). For the buyer, it returns all that is
-- left of the charge, or a part of so many units (null: all). An open offer ends.
-- Outcomes: resolved | already_decided | not_contested.
-- Called by: src/stores/disputes/disputes.ts.
-- Locks: invocation and dispute, then those of dispute_refund_charge or dispute_mark_lot, then the offers of the case.
CREATE OR REPLACE FUNCTION dispute_resolve(id text, decision text, text_id text, operator text, as_of timestamptz,
  part bigint DEFAULT NULL, OUT outcome text, OUT status text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  current disputes := dispute_lock(id);
  refunded bigint := 0;
BEGIN
  outcome := CASE current.status WHEN 'contested' THEN 'resolved' WHEN 'open' THEN 'not_contested'
    ELSE 'already_decided' END;
  status := current.status;
  IF outcome <> 'resolved' THEN
    RETURN;
  ELSIF decision = 'buyer' THEN
    refunded := dispute_refund_charge(current.invocation_id, part);
  ELSIF decision = 'developer' THEN
    PERFORM dispute_mark_lot(current.invocation_id, current.developer_user_id, false);
  ELSE
    RAISE EXCEPTION 'no such decision: %', decision USING ERRCODE = '22023';
  END IF;
  PERFORM dispute_offer_end(id, 'ended', as_of);
  UPDATE disputes d SET status = CASE decision WHEN 'buyer' THEN 'won' ELSE 'lost' END, resolution = 'operator',
      resolved_at = as_of, resolved_by = operator, decision_id = text_id, refunded_units = refunded
    WHERE d.dispute_id = id RETURNING d.status INTO dispute_resolve.status;
END $$;

REVOKE ALL ON FUNCTION dispute_resolve FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION dispute_resolve TO market_app;
