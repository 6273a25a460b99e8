-- Whether nothing more is accepted of a job: its end was called back, or it was given up.
-- Called by: job_answer, job_ask, job_piece_add.
-- Locks: none; the caller has locked the invocation.
CREATE OR REPLACE FUNCTION job_is_closed(id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id)
    OR EXISTS (SELECT FROM jobs j WHERE j.invocation_id = id AND j.given_up_at IS NOT NULL);
$$;

REVOKE ALL ON FUNCTION job_is_closed FROM PUBLIC, market_app;
