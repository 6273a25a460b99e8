-- Locks the rows of these calls.
-- Called by: dispute_lock, invocation_hold, invocation_lock_batch, invocation_served.
-- Locks: the invocations, in id order.
CREATE OR REPLACE FUNCTION invocation_lock(ids text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE id text;
BEGIN
  -- One row per statement, because an array cannot select partitions.
  FOR id IN SELECT DISTINCT u.id FROM unnest(ids) u(id) ORDER BY 1 LOOP
    PERFORM FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_lock FROM PUBLIC, market_app;
