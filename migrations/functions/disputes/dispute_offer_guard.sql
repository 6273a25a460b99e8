-- Checks that an offer is answered once, and that its terms stay.
-- Called by: trigger dispute_offers_guard on dispute_offers.
-- Locks: none.
CREATE OR REPLACE FUNCTION dispute_offer_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'open' OR (NEW.offer_id, NEW.dispute_id, NEW.units, NEW.text_id, NEW.offered_at)
      IS DISTINCT FROM (OLD.offer_id, OLD.dispute_id, OLD.units, OLD.text_id, OLD.offered_at) THEN
    RAISE EXCEPTION 'offer % is % and fixed', OLD.offer_id, OLD.status USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
