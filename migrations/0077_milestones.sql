-- Milestones of jobs (ADR 0319): what an agent has delivered in pieces is paid also if its job fails or is canceled later.
-- So a failed call may have a charge, like a success.

-- migrate:up

ALTER TABLE jobs ADD COLUMN piece_count integer NOT NULL DEFAULT 0 CHECK (piece_count >= 0);
ALTER TABLE jobs ADD COLUMN piece_bytes bigint NOT NULL DEFAULT 0 CHECK (piece_bytes >= 0);
ALTER TABLE jobs ADD COLUMN reached_percent integer NOT NULL DEFAULT 0 CHECK (reached_percent BETWEEN 0 AND 100);
ALTER TABLE jobs ADD COLUMN earning_terms jsonb;
COMMENT ON COLUMN jobs.reached_percent IS 'Part of the price that its milestones have earned';
COMMENT ON COLUMN jobs.earning_terms IS 'When such earnings mature (earning_matures_ms); null without a milestone';

CREATE TABLE job_pieces (
  piece_id       text PRIMARY KEY GENERATED ALWAYS AS (invocation_id || ' ' || number) STORED,
  invocation_id  text NOT NULL,
  number         integer NOT NULL CHECK (number > 0),
  webhook_id     text NOT NULL CHECK (length(webhook_id) BETWEEN 1 AND 255),
  milestone      text CHECK (length(milestone) BETWEEN 1 AND 60),
  percent        integer NOT NULL DEFAULT 0 CHECK (percent BETWEEN 0 AND 100),
  body           bytea,
  sha256         text NOT NULL,
  bytes          integer NOT NULL CHECK (bytes >= 0),
  at             timestamptz NOT NULL DEFAULT now(),
  UNIQUE (invocation_id, number)
);
COMMENT ON TABLE job_pieces IS 'Parts of the answer of a job that its agent has called back before its end';
COMMENT ON COLUMN job_pieces.milestone IS 'The milestone that the piece proves; null without one';
COMMENT ON COLUMN job_pieces.body IS 'Envelope-encrypted JSON; the context is that of the job. Null: no longer stored';
COMMENT ON COLUMN job_pieces.sha256 IS 'Of the JSON text, for disputes';
CREATE UNIQUE INDEX job_pieces_webhook ON job_pieces (invocation_id, webhook_id);
CREATE UNIQUE INDEX job_pieces_milestone ON job_pieces (invocation_id, milestone) WHERE milestone IS NOT NULL;
GRANT SELECT, UPDATE (body) ON job_pieces TO market_app;

DROP TRIGGER invocations_key_spending ON invocations;
CREATE TRIGGER invocations_key_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.key_id IS NOT NULL AND NEW.status <> OLD.status
    AND (NEW.status IN ('succeeded', 'failed') AND NEW.charged_units > 0 OR OLD.status IN ('succeeded', 'failed')))
  EXECUTE FUNCTION api_key_count_spending();
DROP TRIGGER invocations_key_freed ON invocations;
CREATE TRIGGER invocations_key_freed AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.idempotency_key IS NOT NULL AND NEW.status = 'failed' AND OLD.status <> 'failed'
    AND coalesce(NEW.charged_units, 0) = 0)
  EXECUTE FUNCTION invocation_note_key();

-- migrate:down

DROP TRIGGER IF EXISTS invocations_key_freed ON invocations;
DROP TRIGGER IF EXISTS invocations_key_spending ON invocations;
DO $$ BEGIN
  IF to_regproc('invocation_note_key') IS NOT NULL THEN
    CREATE TRIGGER invocations_key_freed AFTER UPDATE OF status ON invocations FOR EACH ROW
      WHEN (NEW.idempotency_key IS NOT NULL AND NEW.status = 'failed' AND OLD.status <> 'failed')
      EXECUTE FUNCTION invocation_note_key();
  END IF;
  IF to_regproc('api_key_count_spending') IS NOT NULL THEN
    CREATE TRIGGER invocations_key_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
      WHEN (NEW.key_id IS NOT NULL AND NEW.status <> OLD.status AND ('succeeded' IN (NEW.status, OLD.status)))
      EXECUTE FUNCTION api_key_count_spending();
  END IF;
END $$;
DROP FUNCTION IF EXISTS job_piece_add(text, text, text, integer, bytea, text, integer, integer, bigint, jsonb);
DROP TABLE job_pieces;
ALTER TABLE jobs DROP COLUMN earning_terms;
ALTER TABLE jobs DROP COLUMN reached_percent;
ALTER TABLE jobs DROP COLUMN piece_bytes;
ALTER TABLE jobs DROP COLUMN piece_count;
