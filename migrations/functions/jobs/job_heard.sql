-- Notes that the agent of a job has reported, with its progress and a sealed sentence, each null if it said none.
-- Progress never goes back, and a sentence that comes with less than was reached is old. Outcomes: heard | repeated (the
-- same webhook id as before) | early (the call runs, and is not a job yet) | over (ended, or its end was called back) |
-- unknown. The buyer gets an event about progress.
-- Called by: job_answer_sent, src/stores/jobs/job-callbacks.ts, src/stores/jobs/jobs.ts.
-- Locks: the job.
CREATE OR REPLACE FUNCTION job_heard(id text, webhook text, reached real, sealed_message bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  job     jobs%ROWTYPE;
  is_news boolean;
BEGIN
  SELECT j.* INTO job FROM jobs j WHERE j.invocation_id = id AND j.ended_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN coalesce((SELECT CASE WHEN i.status IN ('pending', 'running') THEN 'early' ELSE 'over' END
      FROM all_invocations i WHERE i.invocation_id = id), 'unknown');
  END IF;
  IF job.heard_webhook = webhook THEN RETURN 'repeated'; END IF;
  -- A report behind the end must not put off when the workflow is woken. The job is locked, so no end comes now.
  IF job.given_up_at IS NOT NULL OR EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = id) THEN RETURN 'over'; END IF;
  -- An event at most each ten seconds, so that no agent can flood its buyer.
  is_news := reached IS NOT NULL AND (job.progress_sent_at IS NULL OR job.progress_sent_at <= now() - interval '10 seconds')
    AND (sealed_message IS NOT NULL OR coalesce(reached > job.progress, true));
  -- While a question is open, the workflow waits for the end of the question, however silent the agent is.
  UPDATE jobs j SET heard_at = now(),
      look_at = CASE WHEN j.paused_at IS NULL THEN now() + j.heartbeat_ms * interval '1 millisecond' ELSE j.look_at END,
      heard_webhook = webhook, progress = greatest(j.progress, reached),
      message = CASE WHEN reached < j.progress THEN j.message ELSE coalesce(sealed_message, j.message) END,
      progress_sent_at = CASE WHEN is_news THEN now() ELSE j.progress_sent_at END
    WHERE j.invocation_id = id;
  IF is_news THEN
    PERFORM a2a_push_queue(id, NULL, true);
    PERFORM event_record('invocation.progress', jsonb_build_object(
        'invocation_id', id, 'agent_id', job.agent_id, 'progress', round(greatest(job.progress, reached)::numeric, 4),
        'reported_at', event_time(now())),
      ARRAY[job.buyer_user_id], job.agent_id);
  END IF;
  RETURN 'heard';
END $$;

REVOKE ALL ON FUNCTION job_heard FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_heard TO market_app;
