-- Ends a call because its buyer cancels it: returns its hold, less what milestones of a job have earned, and notifies the process that has the call, which
-- hangs up on the agent. Pieces of an answer that were delivered are paid, so a stream that delivers is not cancelled.
-- A job is not cancelled after its agent has called back its end, because the agent got 202 for it (ADR 0320).
-- Outcomes: canceled | delivering | answered | over.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the invocation, then its hold, then those of invocation_refund.
CREATE OR REPLACE FUNCTION invocation_cancel(id text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  before record;
  ended record;
BEGIN
  SELECT i.status, i.is_task INTO before FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  IF before.status IS NULL OR before.status NOT IN ('pending', 'running') THEN RETURN 'over'; END IF;
  IF before.is_task AND EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id) THEN RETURN 'answered'; END IF;
  -- The lock decides between this end and invocation_deliver.
  PERFORM FROM holds h WHERE h.invocation_id = id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM holds h WHERE h.invocation_id = id AND h.state = 'open' AND h.delivered_at IS NOT NULL) THEN
    RETURN 'delivering';
  END IF;
  SELECT r.* INTO STRICT ended FROM invocation_refund(jsonb_build_array(
    jsonb_build_object('invocation_id', id, 'error_code', 'canceled'))) r;
  IF ended.status <> 'failed' OR ended.error_code <> 'canceled' THEN RETURN 'over'; END IF;
  PERFORM pg_notify('invocation_settled', id);
  RETURN 'canceled';
END $$;

REVOKE ALL ON FUNCTION invocation_cancel FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_cancel TO market_app;
