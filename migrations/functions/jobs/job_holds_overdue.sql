-- The open holds of jobs whose lease is over: an hour behind their end (job_lease), which an open question puts off.
-- Called by: invocation_abandoned.
-- Locks: none.
CREATE OR REPLACE FUNCTION job_holds_overdue(most integer, aside text[]) RETURNS SETOF holds
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
  SELECT h.* FROM (
    (SELECT j.invocation_id FROM jobs j
      WHERE j.ended_at IS NULL AND j.paused_at IS NULL AND j.ends_at < now() - interval '1 hour')
    UNION ALL
    (SELECT q.invocation_id FROM job_questions q WHERE q.is_open AND q.expires_at < now() - interval '1 hour')) o,
    LATERAL (SELECT h.* FROM holds h WHERE h.invocation_id = o.invocation_id AND h.state = 'open'
      AND h.lease_until < now() OFFSET 0) h
  WHERE h.invocation_id <> ALL (aside) ORDER BY h.lease_until LIMIT most;
$$;

REVOKE ALL ON FUNCTION job_holds_overdue FROM PUBLIC, market_app;
