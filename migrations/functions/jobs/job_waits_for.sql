-- What an open job, and so its hold, waits for: settlement (its end was called back and is not settled yet) | buyer (who was
-- asked a question) | agent.
-- Called by: src/stores/ledger/ledger-openings.ts, src/stores/operations/overview.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION job_waits_for(job jobs) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = job.invocation_id) THEN 'settlement'
    WHEN job.paused_at IS NOT NULL THEN 'buyer' ELSE 'agent' END
$$;

REVOKE ALL ON FUNCTION job_waits_for FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_waits_for TO market_app;
