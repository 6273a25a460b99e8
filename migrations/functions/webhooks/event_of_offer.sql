-- Records dispute.offered for both sides. What the developer wrote with the offer is not part of the event.
-- Called by: trigger dispute_offers_event on dispute_offers.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_of_offer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  about disputes%ROWTYPE;
  charged bigint;
BEGIN
  SELECT d.* INTO STRICT about FROM disputes d WHERE d.dispute_id = NEW.dispute_id;
  SELECT i.charged_units INTO charged FROM invocations i WHERE i.invocation_id = about.invocation_id;
  PERFORM event_record('dispute.offered', jsonb_build_object(
      'dispute_id', NEW.dispute_id, 'invocation_id', about.invocation_id, 'agent_id', about.agent_id,
      'offer_id', NEW.offer_id, 'refund_credits', event_credits(NEW.units), 'charged_credits', event_credits(charged),
      'offered_at', event_time(NEW.offered_at)),
    ARRAY[about.buyer_user_id, about.developer_user_id], about.agent_id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION event_of_offer FROM PUBLIC, market_app;
