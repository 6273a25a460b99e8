-- The ids of calls that no process drives, longest abandoned first, without those that the caller sets aside. Each part
-- reads the start of an index over open or pending calls, so the cost does not depend on the number of ended ones.
-- Called by: src/stores/calls/call-owners.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_abandoned(pending_lease_ms integer, most integer, aside text[])
RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  calls_since timestamptz := invocation_pending_since(false, pending_lease_ms);
  tasks_since timestamptz := invocation_pending_since(true, pending_lease_ms);
BEGIN
  RETURN QUERY SELECT l.invocation_id FROM (
    (SELECT h.invocation_id, h.lease_until AS since FROM holds h
      WHERE h.state = 'open' AND h.lease_until < now() AND h.invocation_id <> ALL (aside)
      ORDER BY h.lease_until LIMIT most)
    UNION ALL
    (SELECT p.invocation_id, p.invoked_at FROM pending_calls p
      WHERE NOT p.is_task AND p.invoked_at < calls_since AND p.invocation_id <> ALL (aside)
      ORDER BY p.invoked_at LIMIT most)
    UNION ALL
    (SELECT p.invocation_id, p.invoked_at FROM pending_calls p
      WHERE p.is_task AND p.invoked_at < tasks_since AND p.invocation_id <> ALL (aside)
      ORDER BY p.invoked_at LIMIT most)) l
  ORDER BY l.since LIMIT most;
END $$;

REVOKE ALL ON FUNCTION invocation_abandoned FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_abandoned TO market_app;
