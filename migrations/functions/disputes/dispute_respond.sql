-- Records the developer's response, or the end of the time for it (decision: contest | accept | silence). A developer who
-- contests may offer a part of the charge with it (offer, offer_units; dispute_offer_add).
-- Outcomes: responded | already_decided (nothing changed).
-- Called by: src/stores/disputes/disputes.ts.
-- Locks: invocation and dispute, then those of dispute_refund_charge.
CREATE OR REPLACE FUNCTION dispute_respond(id text, decision text, text_id text, as_of timestamptz,
  offer text DEFAULT NULL, offer_units bigint DEFAULT NULL, OUT outcome text, OUT status text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE current disputes := dispute_lock(id);
BEGIN
  outcome := CASE WHEN current.status = 'open' THEN 'responded' ELSE 'already_decided' END;
  status := current.status;
  IF outcome = 'already_decided' THEN
    RETURN;
  ELSIF decision = 'contest' THEN
    UPDATE disputes d SET status = 'contested', responded_at = as_of, statement_id = text_id
      WHERE d.dispute_id = id RETURNING d.status INTO dispute_respond.status;
    IF offer IS NOT NULL THEN
      PERFORM dispute_offer_add(id, offer, offer_units, NULL, as_of);
    END IF;
  ELSIF decision IN ('accept', 'silence') THEN
    UPDATE disputes d SET status = 'accepted', resolved_at = as_of, statement_id = text_id,
        responded_at = CASE decision WHEN 'accept' THEN as_of END,
        resolution = CASE decision WHEN 'accept' THEN 'developer_accepted' ELSE 'developer_silent' END,
        refunded_units = dispute_refund_charge(current.invocation_id)
      WHERE d.dispute_id = id RETURNING d.status INTO dispute_respond.status;
  ELSE
    RAISE EXCEPTION 'no such response: %', decision USING ERRCODE = '22023';
  END IF;
END $$;

REVOKE ALL ON FUNCTION dispute_respond FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION dispute_respond TO market_app;
