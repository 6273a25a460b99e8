-- The jobs whose workflows must be woken: their agents are silent, a signal may be lost, or they have ended and their
-- agents were not notified. Each is due again after a minute; one that ended an hour ago is given up, and its address goes.
-- Most of them at once; the index holds no other.
-- Called by: src/stores/jobs/jobs.ts.
-- Locks: the jobs by time, skipping locked ones.
CREATE OR REPLACE FUNCTION jobs_due(most integer) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  WITH due AS (
    UPDATE jobs j SET
        look_at = CASE WHEN j.ended_at < now() - interval '1 hour' THEN NULL ELSE now() + interval '1 minute' END,
        location = CASE WHEN j.ended_at < now() - interval '1 hour' THEN NULL ELSE j.location END
      WHERE j.invocation_id = ANY (ARRAY(
        SELECT d.invocation_id FROM jobs d WHERE d.look_at <= now() ORDER BY d.look_at LIMIT most FOR UPDATE SKIP LOCKED))
      RETURNING j.invocation_id, j.look_at)
  SELECT d.invocation_id FROM due d WHERE d.look_at IS NOT NULL;
$$;

REVOKE ALL ON FUNCTION jobs_due FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION jobs_due TO market_app;
