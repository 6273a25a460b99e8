-- Ends calls that no process drives: running calls whose hold is open past its lease, and pending calls that never got
-- a hold. A task of an agent (surface a2a) stays pending for at least an hour, because it waits for a worker and not
-- for a caller. Returns the ids.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the invocations in id order, skipping locked ones, then those of ledger_lock_holds and invocation_refund.
CREATE OR REPLACE FUNCTION invocation_sweep(pending_lease_ms integer, most integer) RETURNS TABLE (invocation_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE lost text[];
BEGIN
  SELECT coalesce(array_agg(l.invocation_id), '{}') INTO lost FROM (
    SELECT i.invocation_id FROM invocations i
    WHERE (i.status = 'pending' AND i.invoked_at < now() - CASE WHEN i.surface = 'a2a'
           THEN greatest(interval '1 hour', pending_lease_ms * interval '1 millisecond')
           ELSE pending_lease_ms * interval '1 millisecond' END)
       OR EXISTS (SELECT FROM holds h WHERE h.invocation_id = i.invocation_id AND h.state = 'open'
                  AND h.lease_until < now() AND i.status = 'running')
    ORDER BY i.invocation_id LIMIT most FOR NO KEY UPDATE OF i SKIP LOCKED) l;
  PERFORM ledger_lock_holds(lost);
  RETURN QUERY SELECT r.item ->> 'invocation_id' FROM (
    SELECT jsonb_build_object('invocation_id', u.id, 'error_code', 'engine_unavailable') AS item
    FROM unnest(lost) u(id)) r, LATERAL (SELECT count(*) FROM invocation_refund(jsonb_build_array(r.item))) done;
END $$;

REVOKE ALL ON FUNCTION invocation_sweep FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_sweep TO market_app;
