-- What a callback about a call that no month in use has is answered: over (its month was detached, long after its end) |
-- unknown (there is no such call).
-- Called by: job_ask, job_end_add, job_piece_add.
-- Locks: none.
CREATE OR REPLACE FUNCTION job_missing(id text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM archive.invocations a WHERE a.invocation_id = id) THEN 'over' ELSE 'unknown' END
$$;

REVOKE ALL ON FUNCTION job_missing FROM PUBLIC, market_app;
