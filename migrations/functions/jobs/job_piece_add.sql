-- Keeps a piece of the answer of a job that its agent has called back, and what its milestone has earned. It is a report,
-- too. terms: those of earning_matures_ms. Outcomes: added | repeated (the same webhook id) | reached (the milestone was
-- reached before) | full (more pieces or bytes than a job may have) | early (the call runs, and is not a job yet) |
-- over (ended, or its end was called back) | unknown.
-- Called by: src/stores/jobs/job-pieces.ts.
-- Locks: the invocation, then the job.
CREATE OR REPLACE FUNCTION job_piece_add(
  id text, webhook text, of_milestone text, worth integer, sealed_body bytea, hash text, size integer,
  most_pieces integer, most_bytes bigint, terms jsonb
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  before text;
  job    jobs%ROWTYPE;
BEGIN
  -- The call cannot end before this is written, so what is accepted is paid.
  SELECT i.status INTO before FROM invocations i WHERE i.invocation_id = id FOR NO KEY UPDATE;
  IF before IS NULL THEN RETURN job_missing(id); END IF;
  IF EXISTS (SELECT FROM job_pieces p WHERE p.invocation_id = id AND p.webhook_id = webhook) THEN
    RETURN 'repeated';
  END IF;
  IF before NOT IN ('pending', 'running') OR job_is_closed(id) THEN
    RETURN 'over';
  END IF;
  SELECT j.* INTO job FROM jobs j WHERE j.invocation_id = id AND j.ended_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'early'; END IF;
  IF EXISTS (SELECT FROM job_pieces p WHERE p.invocation_id = id AND p.milestone = of_milestone) THEN
    RETURN 'reached';
  END IF;
  -- Milestones, which are paid, are at most ten, and always have room.
  IF of_milestone IS NULL AND (job.piece_count >= most_pieces OR job.piece_bytes + size > most_bytes) THEN
    RETURN 'full';
  END IF;
  INSERT INTO job_pieces (invocation_id, number, webhook_id, milestone, percent, body, sha256, bytes)
    VALUES (id, job.piece_count + 1, webhook, of_milestone, worth, sealed_body, hash, size);
  UPDATE jobs j SET piece_count = j.piece_count + 1, piece_bytes = j.piece_bytes + size,
      reached_percent = least(100, j.reached_percent + worth), earning_terms = coalesce(terms, j.earning_terms),
      heard_at = now(),
      look_at = CASE WHEN j.paused_at IS NULL THEN now() + j.heartbeat_ms * interval '1 millisecond' ELSE j.look_at END
    WHERE j.invocation_id = id;
  RETURN 'added';
END $$;

REVOKE ALL ON FUNCTION job_piece_add FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_piece_add TO market_app;
