-- Grants the right to hand the first piece of a streamed answer to the buyer, and marks the hold. From then on the call
-- is paid as far as it was delivered, and a dispute cannot stop it. Returns false when the hold was decided or its
-- lease has lapsed; nothing may be delivered then.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the hold.
CREATE OR REPLACE FUNCTION invocation_deliver(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  UPDATE holds h SET delivered_at = coalesce(h.delivered_at, now())
    WHERE h.invocation_id = id AND h.state = 'open' AND h.lease_until > now();
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION invocation_deliver FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_deliver TO market_app;
