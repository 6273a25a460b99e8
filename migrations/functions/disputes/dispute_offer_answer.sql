-- Records the buyer's answer to the open offer of a contested case (decision: accept | decline). An accepted offer returns its
-- part, or what is left of the charge if that is less, and ends the case; a declined one leaves the case to the operator. An
-- offer that was replaced, or that ended with its case, cannot be answered.
-- Outcomes: accepted | declined | no_offer (nothing changed).
-- Called by: src/stores/disputes/offers.ts.
-- Locks: invocation and dispute, then those of dispute_refund_charge, then the offer.
CREATE OR REPLACE FUNCTION dispute_offer_answer(id text, offer text, decision text, as_of timestamptz,
  OUT outcome text, OUT status text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  current disputes := dispute_lock(id);
  offered dispute_offers%ROWTYPE;
BEGIN
  status := current.status;
  SELECT o.* INTO offered FROM dispute_offers o WHERE o.offer_id = offer AND o.dispute_id = id;
  IF offered.status IS DISTINCT FROM 'open' OR current.status <> 'contested' THEN
    outcome := 'no_offer';
  ELSIF decision = 'decline' THEN
    outcome := 'declined';
    PERFORM dispute_offer_end(id, 'declined', as_of);
  ELSIF decision = 'accept' THEN
    outcome := 'accepted';
    PERFORM dispute_offer_end(id, 'accepted', as_of);
    UPDATE disputes d SET status = 'accepted', resolution = 'offer_accepted', resolved_at = as_of,
        refunded_units = dispute_refund_charge(current.invocation_id, offered.units)
      WHERE d.dispute_id = id RETURNING d.status INTO dispute_offer_answer.status;
  ELSE
    RAISE EXCEPTION 'no such answer: %', decision USING ERRCODE = '22023';
  END IF;
END $$;

REVOKE ALL ON FUNCTION dispute_offer_answer FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION dispute_offer_answer TO market_app;
