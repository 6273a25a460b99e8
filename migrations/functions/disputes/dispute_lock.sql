-- Locks a case and returns it.
-- Called by: dispute_offer, dispute_offer_answer, dispute_resolve, dispute_respond.
-- Locks: the invocation, then the dispute.
CREATE OR REPLACE FUNCTION dispute_lock(id text) RETURNS disputes
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE found_case disputes%ROWTYPE;
BEGIN
  PERFORM invocation_lock(ARRAY(SELECT d.invocation_id FROM disputes d WHERE d.dispute_id = id));
  SELECT d.* INTO STRICT found_case FROM disputes d WHERE d.dispute_id = id FOR NO KEY UPDATE;
  RETURN found_case;
END $$;

REVOKE ALL ON FUNCTION dispute_lock FROM PUBLIC, market_app;
