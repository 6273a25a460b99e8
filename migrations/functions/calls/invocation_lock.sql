-- Locks the rows of these calls.
-- Called by: invocation_lock_batch, invocation_hold, invocation_served, dispute_lock.
-- Locks: the invocations, in id order.
CREATE OR REPLACE FUNCTION invocation_lock(ids text[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT FROM invocations i WHERE i.invocation_id = ANY (ids) ORDER BY i.invocation_id FOR NO KEY UPDATE
$$;

REVOKE ALL ON FUNCTION invocation_lock FROM PUBLIC, market_app;
