-- Notes an attempt to deliver the answer to a question. When its agent has accepted it, the texts go, and the agent counts
-- as heard.
-- Called by: src/stores/jobs/job-questions.ts.
-- Locks: the job, then the question.
CREATE OR REPLACE FUNCTION job_answer_sent(id text, asked_id text, is_accepted boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF is_accepted THEN PERFORM job_heard(id, NULL, NULL, NULL); END IF;
  UPDATE job_questions q SET attempts = q.attempts + 1,
      delivered_at = CASE WHEN is_accepted THEN now() END,
      question = CASE WHEN NOT is_accepted THEN q.question END,
      answer = CASE WHEN NOT is_accepted THEN q.answer END
    WHERE q.invocation_id = id AND q.question_id = asked_id AND q.delivered_at IS NULL;
END $$;

REVOKE ALL ON FUNCTION job_answer_sent FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION job_answer_sent TO market_app;
