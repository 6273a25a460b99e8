-- Durations of jobs stand apart from those of calls in all figures (ADR 0316): a job takes hours, and its agent may answer
-- other calls within a second. Changes of usage say whether they are of a job; in the roll-ups a job has a bucket of its
-- own (usage_bucket), so that they have no more columns and cost the same.

-- migrate:up

ALTER TABLE pending_rollups ADD COLUMN is_job boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN pending_rollups.is_job IS 'Of the capture of a call: its agent had accepted it as a job';
ALTER TABLE usage_deltas ADD COLUMN is_job boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN usage_deltas.is_job IS 'The duration is that of a job';
COMMENT ON COLUMN agent_day_durations.bucket IS
  'usage_bucket of successes, 1000 and more for jobs; duration_of is its duration in ms';
COMMENT ON COLUMN market_minutes.bucket IS 'usage_bucket of successes, 1000 and more for jobs; -1 without a duration';

CREATE OR REPLACE VIEW usage_changes AS
  SELECT agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms, is_job FROM usage_deltas
  UNION ALL
  SELECT g.agent_id, p.called_on, 'succeeded', '', 1, p.amount_units + p.fee_units, p.fee_units, p.duration_ms, p.is_job
    FROM agents g JOIN accounts a ON a.user_id = g.developer_user_id AND a.kind = 'payable'
    CROSS JOIN LATERAL (SELECT * FROM pending_rollups r
      WHERE r.account_id = a.account_id AND r.agent_id = g.agent_id OFFSET 0) p;
CREATE OR REPLACE VIEW agent_day_latencies AS
  SELECT agent_id, day, bucket, calls FROM agent_day_durations
  UNION ALL
  SELECT agent_id, day, usage_bucket(duration_ms, is_job), calls FROM usage_changes WHERE duration_ms IS NOT NULL;

-- The daily check of the ledger reads the jobs that ended since.
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

ALTER TABLE agent_stats ADD COLUMN jobs_30d integer NOT NULL DEFAULT 0,
  ADD COLUMN job_p50_ms integer, ADD COLUMN job_p95_ms integer;
COMMENT ON COLUMN agent_stats.p50_ms IS 'Of the calls that were no jobs';
COMMENT ON COLUMN agent_stats.jobs_30d IS 'Jobs that succeeded';

DROP FUNCTION IF EXISTS ledger_capture_one(text, bigint, timestamptz, timestamptz, integer);
DROP FUNCTION IF EXISTS ledger_post_charge(holds, timestamptz, timestamptz, integer);

-- migrate:down

DROP FUNCTION IF EXISTS ledger_capture_one(text, bigint, timestamptz, timestamptz, integer, boolean);
DROP FUNCTION IF EXISTS ledger_post_charge(holds, timestamptz, timestamptz, integer, boolean);
DROP INDEX jobs_ended;
ALTER TABLE agent_stats DROP COLUMN jobs_30d, DROP COLUMN job_p50_ms, DROP COLUMN job_p95_ms;

-- The release before knows no buckets of jobs.
INSERT INTO agent_day_durations AS a
  SELECT d.agent_id, d.day, d.bucket - 1000, d.calls FROM agent_day_durations d WHERE d.bucket >= 1000
  ON CONFLICT (agent_id, day, bucket) DO UPDATE SET calls = a.calls + excluded.calls;
DELETE FROM agent_day_durations WHERE bucket >= 1000;
INSERT INTO market_days AS a
  SELECT d.day, d.status, d.error_code, d.bucket - 1000, d.calls, d.gross_units, d.fee_units FROM market_days d
  WHERE d.bucket >= 1000
  ON CONFLICT (day, status, error_code, bucket) DO UPDATE SET calls = a.calls + excluded.calls,
    gross_units = a.gross_units + excluded.gross_units, fee_units = a.fee_units + excluded.fee_units;
DELETE FROM market_days WHERE bucket >= 1000;
DELETE FROM market_minutes WHERE bucket >= 1000;

DROP VIEW IF EXISTS agent_day_latencies;
DROP VIEW agent_total_calls, agent_day_calls, usage_changes;
ALTER TABLE usage_deltas DROP COLUMN is_job;
ALTER TABLE pending_rollups DROP COLUMN is_job;
CREATE VIEW usage_changes AS
  SELECT agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms FROM usage_deltas
  UNION ALL
  SELECT g.agent_id, p.called_on, 'succeeded', '', 1, p.amount_units + p.fee_units, p.fee_units, p.duration_ms
    FROM agents g JOIN accounts a ON a.user_id = g.developer_user_id AND a.kind = 'payable'
    CROSS JOIN LATERAL (SELECT * FROM pending_rollups r
      WHERE r.account_id = a.account_id AND r.agent_id = g.agent_id OFFSET 0) p;
COMMENT ON VIEW usage_changes IS 'What the days and totals of usage lack yet';
CREATE VIEW agent_day_calls AS
  SELECT agent_id, day, status, error_code, calls, gross_units, fee_units FROM agent_days
  UNION ALL
  SELECT agent_id, day, status, error_code, calls, gross_units, fee_units FROM usage_changes;
CREATE VIEW agent_total_calls AS
  SELECT agent_id, status, error_code, calls, gross_units, fee_units FROM agent_totals
  UNION ALL
  SELECT agent_id, status, error_code, calls, gross_units, fee_units FROM usage_changes;
DO $$ BEGIN
  IF to_regproc('duration_bucket') IS NOT NULL THEN
    CREATE VIEW agent_day_latencies AS
      SELECT agent_id, day, bucket, calls FROM agent_day_durations
      UNION ALL
      SELECT agent_id, day, duration_bucket(duration_ms), calls FROM usage_changes WHERE duration_ms IS NOT NULL;
    GRANT SELECT ON agent_day_latencies TO market_app;
  END IF;
END $$;
GRANT SELECT ON usage_changes, agent_day_calls, agent_total_calls TO market_app;
