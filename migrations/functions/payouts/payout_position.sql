-- Returns the cursor of a destination, at the place where a run reads on. A cursor whose agents have changed begins
-- again, because lots behind it may belong to this destination now; lots in payouts are skipped.
-- Called by: payout_reserve.
-- Locks: none of its own; the caller has locked payable.
CREATE OR REPLACE FUNCTION payout_position(developer text, destination text, agents text[], run_key text)
RETURNS payout_cursors
LANGUAGE plpgsql AS $$
DECLARE
  place payout_cursors%ROWTYPE;
  known_agents text[] := ARRAY(SELECT a FROM unnest(agents) a ORDER BY a);
BEGIN
  INSERT INTO payout_cursors (developer_user_id, pay_to, agents) VALUES (developer, destination, known_agents)
    ON CONFLICT DO NOTHING;
  SELECT c.* INTO place FROM payout_cursors c WHERE c.developer_user_id = developer AND c.pay_to = destination;
  IF place.agents <> known_agents THEN
    place := ROW (developer, destination, known_agents, '-infinity', '', NULL, NULL, NULL);
  END IF;
  IF place.run IS DISTINCT FROM run_key THEN
    place.run := run_key;
    place.run_matures_at := place.matures_at;
    place.run_invocation_id := place.invocation_id;
  END IF;
  RETURN place;
END $$;

REVOKE ALL ON FUNCTION payout_position FROM PUBLIC, market_app;
