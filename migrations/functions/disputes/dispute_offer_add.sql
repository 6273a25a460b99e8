-- Writes an open offer. The trigger of the table writes its event.
-- Called by: dispute_offer, dispute_respond.
-- Locks: none of its own; the caller has locked the case.
CREATE OR REPLACE FUNCTION dispute_offer_add(id text, offer text, offer_units bigint, text_id text, as_of timestamptz)
RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO dispute_offers (offer_id, dispute_id, units, text_id, offered_at) VALUES (offer, id, offer_units, text_id, as_of)
$$;

REVOKE ALL ON FUNCTION dispute_offer_add FROM PUBLIC, market_app;
