-- The time before which a call that is still pending is abandoned. A task of an agent stays pending for at least an
-- hour, because it waits for a worker and not for a caller.
-- Called by: invocation_abandoned, invocation_sweep.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_pending_since(is_task boolean, pending_lease_ms integer) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT now() - CASE WHEN is_task THEN greatest(interval '1 hour', pending_lease_ms * interval '1 millisecond')
    ELSE pending_lease_ms * interval '1 millisecond' END
$$;

REVOKE ALL ON FUNCTION invocation_pending_since FROM PUBLIC, market_app;
