-- The jobs whose workflows must be woken: their agents are silent, or a signal may be lost. Each is due again after a
-- minute. Most of them at once; the index over open jobs holds no other.
-- Called by: src/stores/jobs/jobs.ts.
-- Locks: the jobs by time, skipping locked ones.
CREATE OR REPLACE FUNCTION jobs_due(most integer) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE jobs j SET look_at = now() + interval '1 minute' WHERE j.invocation_id = ANY (ARRAY(
    SELECT d.invocation_id FROM jobs d WHERE d.ended_at IS NULL AND d.look_at <= now()
    ORDER BY d.look_at LIMIT most FOR UPDATE SKIP LOCKED)) RETURNING j.invocation_id;
$$;

REVOKE ALL ON FUNCTION jobs_due FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION jobs_due TO market_app;
