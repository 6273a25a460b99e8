-- Ends those of these calls that no process drives, and returns their ids: running calls whose hold is open past its
-- lease, and pending calls that never got a hold. A call that is locked is left for the next sweep.
-- Called by: src/stores/calls/call-owners.ts.
-- Locks: the invocations in id order, skipping locked ones, then those of invocation_refund.
CREATE OR REPLACE FUNCTION invocation_sweep(pending_lease_ms integer, ids text[]) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  locked text[];
  lost   text[];
BEGIN
  SELECT coalesce(array_agg(l.invocation_id), '{}') INTO locked FROM (
    SELECT i.invocation_id FROM invocations i
    WHERE i.invocation_id = ANY (ids) AND i.status IN ('pending', 'running')
    ORDER BY i.invocation_id FOR NO KEY UPDATE SKIP LOCKED) l;
  -- A statement of its own, since it reads holds by their ids (docs/internals/statements.md#row-locks).
  SELECT coalesce(array_agg(i.invocation_id ORDER BY i.invocation_id), '{}') INTO lost FROM invocations i
  WHERE i.invocation_id = ANY (locked) AND CASE i.status
    WHEN 'pending' THEN i.invoked_at < invocation_pending_since(i.is_task, pending_lease_ms)
    WHEN 'running' THEN EXISTS (SELECT FROM holds h
      WHERE h.invocation_id = i.invocation_id AND h.state = 'open' AND h.lease_until < now()) END;
  PERFORM FROM invocation_refund((SELECT coalesce(jsonb_agg(
    jsonb_build_object('invocation_id', u.id, 'error_code', 'engine_unavailable')), '[]') FROM unnest(lost) u(id)));
  RETURN QUERY SELECT unnest(lost);
END $$;

REVOKE ALL ON FUNCTION invocation_sweep FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_sweep TO market_app;
