-- What bounds the next call of a buyer to an agent: the calls of each that have not ended, the units that pending calls
-- of the buyer will hold, and whether the wallet is frozen. Holds with ids from since_id on are counted by their index,
-- earlier ones by long_calls, so that the count does not read what has ended since the oldest open snapshot began
-- (docs/internals/statements.md#calls-in-flight).
-- Called by: invocation_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_standing(
  buyer text, agent text, since_id text, OUT of_buyer bigint, OUT of_agent bigint, OUT promised bigint, OUT frozen boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE any_long boolean;
BEGIN
  SELECT (SELECT count(*) FROM holds h
      WHERE h.state = 'open' AND h.buyer_user_id = buyer AND h.invocation_id >= since_id)
    + (SELECT count(*) FROM pending_calls p WHERE p.buyer_user_id = buyer),
    (SELECT count(*) FROM holds h
      WHERE h.state = 'open' AND h.agent_id = agent AND h.invocation_id >= since_id)
    + (SELECT count(*) FROM pending_calls p WHERE p.agent_id = agent),
    (SELECT coalesce(sum(p.price_units), 0) FROM pending_calls p WHERE p.buyer_user_id = buyer),
    EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = buyer),
    EXISTS (SELECT FROM long_calls l WHERE l.buyer_user_id = buyer)
      OR EXISTS (SELECT FROM long_calls l WHERE l.agent_id = agent)
    INTO of_buyer, of_agent, promised, frozen, any_long;
  -- Most calls end young, and a look into holds of any age prepares for each month.
  IF any_long THEN
    SELECT of_buyer + count(*) FILTER (WHERE l.buyer_user_id = buyer), of_agent + count(*) FILTER (WHERE l.agent_id = agent)
      INTO of_buyer, of_agent
      FROM long_calls l, LATERAL (SELECT FROM holds h
        WHERE h.invocation_id = l.invocation_id AND h.state = 'open' OFFSET 0) o
      WHERE (l.buyer_user_id = buyer OR l.agent_id = agent) AND l.invocation_id < since_id;
  END IF;
END $$;

REVOKE ALL ON FUNCTION invocation_standing FROM PUBLIC, market_app;
