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
    + (SELECT count(*) FROM long_calls l, LATERAL (SELECT FROM holds h
        WHERE h.invocation_id = l.invocation_id AND h.state = 'open' OFFSET 0) o
      WHERE l.buyer_user_id = buyer AND l.invocation_id < since_id)
    + (SELECT count(*) FROM pending_calls p WHERE p.buyer_user_id = buyer),
    (SELECT count(*) FROM holds h
      WHERE h.state = 'open' AND h.agent_id = agent AND h.invocation_id >= since_id)
    + (SELECT count(*) FROM long_calls l, LATERAL (SELECT FROM holds h
        WHERE h.invocation_id = l.invocation_id AND h.state = 'open' OFFSET 0) o
      WHERE l.agent_id = agent AND l.invocation_id < since_id)
    + (SELECT count(*) FROM pending_calls p WHERE p.agent_id = agent),
    (SELECT sum(p.price_units) FROM pending_calls p WHERE p.buyer_user_id = buyer)
    INTO of_buyer, of_agent, promised;
END $$;

REVOKE ALL ON FUNCTION calls_in_flight FROM PUBLIC, market_app;
