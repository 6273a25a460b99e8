-- Counts the calls of a buyer, and those of an agent, that have not ended. Holds with old ids are found in long_calls, so
-- that the count does not read what has ended since the oldest open snapshot began. promised: what pending calls of the
-- buyer will hold, in units.
-- Called by: invocation_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION calls_in_flight(
  buyer text, agent text, OUT of_buyer bigint, OUT of_agent bigint, OUT promised bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE since_id text;
BEGIN
  -- The clock may have been set back since; then nothing young is left out.
  SELECT long_calls_id(least(s.last_value, (extract(epoch FROM now()) * 1000)::bigint - 5000)) INTO since_id
    FROM long_calls_since s;
  SELECT (SELECT count(*) FROM holds h
      WHERE h.state = 'open' AND h.buyer_user_id = buyer AND h.invocation_id >= since_id)
    + (SELECT count(*) FROM pending_calls p WHERE p.buyer_user_id = buyer),
    (SELECT count(*) FROM holds h
      WHERE h.state = 'open' AND h.agent_id = agent AND h.invocation_id >= since_id)
    + (SELECT count(*) FROM pending_calls p WHERE p.agent_id = agent),
    (SELECT sum(p.price_units) FROM pending_calls p WHERE p.buyer_user_id = buyer)
    INTO of_buyer, of_agent, promised;
  -- Most calls end young, and a look into holds of any age prepares for each month.
  IF EXISTS (SELECT FROM long_calls l WHERE l.buyer_user_id = buyer)
     OR EXISTS (SELECT FROM long_calls l WHERE l.agent_id = agent) THEN
    SELECT of_buyer + count(*) FILTER (WHERE l.buyer_user_id = buyer), of_agent + count(*) FILTER (WHERE l.agent_id = agent)
      INTO of_buyer, of_agent
      FROM long_calls l, LATERAL (SELECT FROM holds h
        WHERE h.invocation_id = l.invocation_id AND h.state = 'open' OFFSET 0) o
      WHERE (l.buyer_user_id = buyer OR l.agent_id = agent) AND l.invocation_id < since_id;
  END IF;
END $$;

REVOKE ALL ON FUNCTION calls_in_flight FROM PUBLIC, market_app;
