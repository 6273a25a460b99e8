-- The developer is notified when the buyer declines an offer in a dispute (ADR 0355).

-- migrate:up

CREATE TRIGGER dispute_offers_declined_notice AFTER UPDATE OF status ON dispute_offers FOR EACH ROW
  WHEN (NEW.status = 'declined') EXECUTE FUNCTION offer_declined_noted();

-- migrate:down

DROP TRIGGER IF EXISTS dispute_offers_declined_notice ON dispute_offers;
DROP FUNCTION IF EXISTS offer_declined_noted();
