-- Returns what is left of a charge to the buyer, by clawback, and deletes the answer and its pieces; or returns a part of so many
-- units (null: all of it), and leaves the call and its answer as they are. Returns the amount; 0 for a free call, and for one
-- that slashes have refunded in full.
-- Called by: dispute_offer_answer, dispute_resolve, dispute_respond.
-- Locks: those of ledger_clawback; the caller has locked the case.
CREATE OR REPLACE FUNCTION dispute_refund_charge(invocation text, part bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE returned record;
BEGIN
  SELECT c.outcome, c.amount_units INTO STRICT returned FROM ledger_clawback(ARRAY[invocation], ARRAY[part]) c;
  IF returned.outcome NOT IN ('clawed_back', 'returned_in_part', 'nothing_charged') THEN
    RAISE EXCEPTION 'call % cannot be taken back: %', invocation, returned.outcome USING ERRCODE = '23514';
  END IF;
  IF returned.outcome = 'returned_in_part' THEN
    UPDATE invocations i SET returned_units = returned.amount_units WHERE i.invocation_id = invocation;
    RETURN returned.amount_units;
  END IF;
  UPDATE invocations i SET status = 'disputed' WHERE i.invocation_id = invocation;
  DELETE FROM invocation_answers a WHERE a.invocation_id = invocation;
  UPDATE job_pieces p SET body = NULL WHERE p.invocation_id = invocation;
  RETURN coalesce(returned.amount_units, 0);
END $$;

REVOKE ALL ON FUNCTION dispute_refund_charge FROM PUBLIC, market_app;
