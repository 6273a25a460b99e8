-- Writes a notice for the developer whose offer in a dispute was declined by the buyer.
-- Called by: trigger dispute_offers_declined_notice on dispute_offers.
-- Locks: none.
CREATE OR REPLACE FUNCTION offer_declined_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE about disputes%ROWTYPE;
BEGIN
  SELECT d.* INTO STRICT about FROM disputes d WHERE d.dispute_id = NEW.dispute_id;
  PERFORM notice_record('dispute.offer_declined', jsonb_build_object('dispute_id', NEW.dispute_id,
      'invocation_id', about.invocation_id, 'agent_id', about.agent_id, 'offer_id', NEW.offer_id,
      'refund_credits', event_credits(NEW.units)),
    ARRAY[about.developer_user_id], about.agent_id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION offer_declined_noted FROM PUBLIC, market_app;
