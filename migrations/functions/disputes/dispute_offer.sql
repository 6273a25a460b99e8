-- Records that the developer of a contested case offers to return a part of the charge, in place of an earlier offer. A
-- repetition with the same id changes nothing.
-- Outcomes: offered | not_contested | too_many (a case has at most 10 offers).
-- Called by: src/stores/disputes/offers.ts.
-- Locks: invocation and dispute, then the offers of the case.
CREATE OR REPLACE FUNCTION dispute_offer(id text, offer text, offer_units bigint, text_id text, as_of timestamptz,
  OUT outcome text, OUT status text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE current disputes := dispute_lock(id);
BEGIN
  status := current.status;
  IF EXISTS (SELECT FROM dispute_offers o WHERE o.offer_id = offer) THEN
    outcome := 'offered';
  ELSIF current.status <> 'contested' THEN
    outcome := 'not_contested';
  ELSIF (SELECT count(*) FROM dispute_offers o WHERE o.dispute_id = id) >= 10 THEN
    outcome := 'too_many';
  ELSE
    outcome := 'offered';
    PERFORM dispute_offer_end(id, 'replaced', as_of);
    PERFORM dispute_offer_add(id, offer, offer_units, text_id, as_of);
  END IF;
END $$;

REVOKE ALL ON FUNCTION dispute_offer FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION dispute_offer TO market_app;
