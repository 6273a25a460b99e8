-- Tests that buyers set for the answers of their calls (ADR 0425).

-- migrate:up

CREATE TABLE call_acceptances (
  invocation_id   text PRIMARY KEY,
  author_user_id  text NOT NULL,
  agent_id        text NOT NULL,
  sha256          text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  passed          boolean,
  judged_at       timestamptz,
  CONSTRAINT call_acceptances_judged CHECK ((passed IS NULL) = (judged_at IS NULL))
);
COMMENT ON TABLE call_acceptances IS 'The calls whose buyers have set tests for the answer, and whether it passed';
COMMENT ON COLUMN call_acceptances.author_user_id IS 'The caller, who set the tests, also if the issuer of a mandate pays';
COMMENT ON COLUMN call_acceptances.sha256 IS 'SHA-256 of the canonical JSON (RFC 8785) of the tests';
COMMENT ON COLUMN call_acceptances.passed IS 'Null until the answer was tested, and if it never was';
CREATE INDEX call_acceptances_author ON call_acceptances (author_user_id, invocation_id DESC) WHERE passed IS NOT NULL;
CREATE INDEX call_acceptances_failed ON call_acceptances (agent_id, author_user_id) WHERE NOT passed;
GRANT SELECT ON call_acceptances TO market_app;

ALTER TABLE a2a_tasks ADD COLUMN acceptance bytea;
COMMENT ON COLUMN a2a_tasks.acceptance IS 'Sealed: the tests of the call, for the worker that performs it';

ALTER TABLE call_failures DROP CONSTRAINT call_failures_phase_check,
  ADD CONSTRAINT call_failures_phase_check CHECK (phase IN ('connection', 'answer', 'schema', 'acceptance'));
COMMENT ON COLUMN call_failures.phase IS 'connection: no response came; answer: the response was refused; schema: the answer violates the output schema; acceptance: the answer fails a test of the buyer';

DROP FUNCTION IF EXISTS invocation_earlier(text, text, text, text, jsonb);

-- migrate:down

DROP FUNCTION IF EXISTS invocation_earlier(text, text, text, text, jsonb, text);
DROP FUNCTION IF EXISTS acceptance_judge(text, boolean);
DROP FUNCTION IF EXISTS acceptance_buyers_differ(text, text, integer);
DELETE FROM call_failures WHERE phase = 'acceptance';
ALTER TABLE call_failures DROP CONSTRAINT call_failures_phase_check,
  ADD CONSTRAINT call_failures_phase_check CHECK (phase IN ('connection', 'answer', 'schema'));
COMMENT ON COLUMN call_failures.phase IS 'connection: no response came; answer: the response was refused; schema: the answer violates the output schema';
ALTER TABLE a2a_tasks DROP COLUMN acceptance;
DROP TABLE call_acceptances;
