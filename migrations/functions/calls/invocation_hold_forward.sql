-- Runs invocation_hold and, when the call is held, invocation_forward, in one transaction, for the process that has
-- the body of the call and forwards it next. permit is the outcome of invocation_forward, or null when nothing is
-- held.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: those of invocation_hold, then the hold.
CREATE OR REPLACE FUNCTION invocation_hold_forward(id text, lease_ms integer)
RETURNS TABLE (outcome text, status text, error_code text, permit text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  SELECT h.outcome, h.status, h.error_code INTO STRICT outcome, status, error_code
    FROM invocation_hold(ARRAY[id], lease_ms) h;
  IF outcome = 'held' THEN
    SELECT f.outcome INTO STRICT permit FROM invocation_forward(id, lease_ms, false) f;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION invocation_hold_forward FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_hold_forward TO market_app;
