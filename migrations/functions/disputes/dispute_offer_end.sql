-- Ends the open offer of a case with this status, if there is one.
-- Called by: dispute_offer, dispute_offer_answer, dispute_resolve.
-- Locks: the offer; the caller has locked the case.
CREATE OR REPLACE FUNCTION dispute_offer_end(id text, ending text, as_of timestamptz) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE dispute_offers o SET status = ending, answered_at = as_of WHERE o.dispute_id = id AND o.status = 'open'
$$;

REVOKE ALL ON FUNCTION dispute_offer_end FROM PUBLIC, market_app;
