-- Whether a call under a mandate may join an earlier call. Only the caller who made the earlier call joins it, under
-- the same mandate: an answer is not for every holder of a mandate of the same issuer. presented is the mandate of the
-- new call; without one the buyer calls, who may join every call of the account.
-- Called by: invocation_earlier, mandate_verdict.
-- Locks: none.
CREATE OR REPLACE FUNCTION mandate_may_join(earlier_id text, presented jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN presented IS NULL OR EXISTS (SELECT FROM all_invocations i WHERE i.invocation_id = earlier_id
    AND i.mandate_id = presented -> 'levels' -> -1 ->> 'mandate_id'
    AND i.caller_user_id = presented ->> 'caller_user_id');
END $$;

REVOKE ALL ON FUNCTION mandate_may_join FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION mandate_may_join TO market_app;
