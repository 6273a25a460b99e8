-- Jobs may ask their buyers (ADR 0306): the clock of a job stops while a question is open.

-- migrate:up

ALTER TABLE jobs ADD COLUMN paused_at timestamptz;
ALTER TABLE jobs ADD COLUMN paused_ms bigint NOT NULL DEFAULT 0 CHECK (paused_ms >= 0);
ALTER TABLE jobs ADD COLUMN progress_sent_at timestamptz;
COMMENT ON COLUMN jobs.paused_at IS 'Since when its clock stands still, because a question waits for the buyer; null: it runs';
COMMENT ON COLUMN jobs.paused_ms IS 'How long it waited for answered questions; ends_at contains it';
COMMENT ON COLUMN jobs.progress_sent_at IS 'When its last event invocation.progress was written';

CREATE TABLE job_questions (
  invocation_id   text NOT NULL CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
  question_id     text NOT NULL CHECK (question_id ~ '^[A-Za-z0-9_.:-]{1,64}$'),
  sealed_id       text GENERATED ALWAYS AS (invocation_id || ' ' || question_id) STORED UNIQUE,
  buyer_user_id   text NOT NULL,
  question        bytea,
  question_sha256 text NOT NULL CHECK (question_sha256 ~ '^[0-9a-f]{64}$'),
  asked_at        timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz NOT NULL,
  is_open         boolean NOT NULL DEFAULT true,
  answered_at     timestamptz,
  answer          bytea,
  answer_sha256   text CHECK (answer_sha256 ~ '^[0-9a-f]{64}$'),
  attempts        integer NOT NULL DEFAULT 0,
  delivered_at    timestamptz,
  PRIMARY KEY (invocation_id, question_id)
);
COMMENT ON TABLE job_questions IS 'What agents asked the buyers of their jobs; texts only until the answer was delivered or the call ended';
COMMENT ON COLUMN job_questions.question_id IS 'The id that the agent gave, or one that is derived from its message';
COMMENT ON COLUMN job_questions.question IS 'Envelope-encrypted prompt, schema and address for the answer; the context is that of the job';
COMMENT ON COLUMN job_questions.question_sha256 IS 'SHA-256 of the canonical JSON of prompt and schema';
COMMENT ON COLUMN job_questions.expires_at IS 'Without an answer by then, the call is canceled';
COMMENT ON COLUMN job_questions.is_open IS 'It waits for the buyer';
COMMENT ON COLUMN job_questions.answer IS 'Envelope-encrypted; the context is that of the job';
COMMENT ON COLUMN job_questions.answer_sha256 IS 'SHA-256 of the canonical JSON of the answer';
COMMENT ON COLUMN job_questions.attempts IS 'Attempts to deliver the answer';
CREATE UNIQUE INDEX job_questions_open ON job_questions (invocation_id) WHERE is_open;
CREATE INDEX job_questions_buyer ON job_questions (buyer_user_id, invocation_id) WHERE is_open;
GRANT SELECT, UPDATE (question, answer) ON job_questions TO market_app;

-- migrate:down

DROP TABLE job_questions;
ALTER TABLE jobs DROP COLUMN progress_sent_at;
ALTER TABLE jobs DROP COLUMN paused_ms;
ALTER TABLE jobs DROP COLUMN paused_at;
