-- Sets the lease of a job's hold: an hour behind its end, which an open question puts off until it expires.
-- Called by: job_answer, job_ask, job_take.
-- Locks: the hold; the caller has locked the invocation.
CREATE OR REPLACE FUNCTION job_lease(id text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE ends timestamptz;
BEGIN
  SELECT coalesce(q.expires_at + (j.ends_at - j.paused_at), j.ends_at) INTO ends
    FROM jobs j LEFT JOIN job_questions q ON q.invocation_id = j.invocation_id AND q.is_open
    WHERE j.invocation_id = id AND j.ended_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE holds h SET lease_until = ends + interval '1 hour' WHERE h.invocation_id = id AND h.state = 'open';
END $$;

REVOKE ALL ON FUNCTION job_lease FROM PUBLIC, market_app;
