-- The ids of calls that no process drives, longest abandoned first, without those that the caller sets aside. Each part
-- reads an index over open or pending calls, so the cost depends neither on the number of ended ones nor on that of jobs
-- that wait.
-- Called by: src/stores/calls/call-owners.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_abandoned(pending_lease_ms integer, most integer, aside text[])
RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  calls_since timestamptz := invocation_pending_since(false, pending_lease_ms);
  tasks_since timestamptz := invocation_pending_since(true, pending_lease_ms);
BEGIN
  RETURN QUERY SELECT l.invocation_id FROM (
    (SELECT h.invocation_id, h.lease_until AS since FROM holds_to_sweep() h
      WHERE h.lease_until < now() AND h.invocation_id <> ALL (aside)
      ORDER BY h.lease_until LIMIT most)
    UNION
    (SELECT h.invocation_id, h.lease_until FROM job_holds_overdue(most, aside) h)
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
