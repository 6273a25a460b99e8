-- Usage of agents by day, rolled up from calls that have ended (docs/internals/statements.md#sums-by-day), and their
-- paid calls by day and buyer.
--
-- A trigger on the call writes what changed to `usage_deltas`, in the transaction that ends the call (a capture writes
-- it with its row of `pending_rollups`); rows only, so that calls of one agent never wait for each other. A loop adds
-- them to the days. Read the views: they add what waits, so that figures are exact at any time.

-- migrate:up

CREATE TABLE usage_deltas (
  agent_id     text NOT NULL,
  day          date NOT NULL,
  status       text NOT NULL CHECK (status IN ('succeeded', 'failed', 'disputed')),
  error_code   text NOT NULL,
  calls        bigint NOT NULL CHECK (calls <> 0),
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  duration_ms  integer
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON COLUMN usage_deltas.calls IS 'Positive: as many calls have this status now; -1: a call no longer has it';
COMMENT ON COLUMN usage_deltas.duration_ms IS 'Of successes that have a duration: one in the bucket of all these calls';
CREATE INDEX usage_deltas_agent ON usage_deltas (agent_id);

CREATE TABLE agent_days (
  agent_id     text NOT NULL,
  day          date NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  PRIMARY KEY (agent_id, day, status, error_code)
) WITH (fillfactor = 70);
COMMENT ON COLUMN agent_days.day IS 'UTC day in which the calls were accepted';
COMMENT ON COLUMN agent_days.error_code IS 'Of failed calls; empty without one';
COMMENT ON COLUMN agent_days.gross_units IS 'What the calls were charged; disputed calls got it back';

-- The sums of all days of an agent, so that usage since its first day costs the same after years.
CREATE TABLE agent_totals (
  agent_id     text NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  PRIMARY KEY (agent_id, status, error_code)
) WITH (fillfactor = 50);

CREATE TABLE agent_day_durations (
  agent_id  text NOT NULL,
  day       date NOT NULL,
  bucket    smallint NOT NULL,
  calls     bigint NOT NULL,
  PRIMARY KEY (agent_id, day, bucket)
) WITH (fillfactor = 70);
COMMENT ON COLUMN agent_day_durations.bucket IS 'duration_bucket of successes; duration_of is its duration in ms';

-- Captures of calls are counted by their row of pending_rollups (0002) until that is rolled up.
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
CREATE VIEW agent_day_latencies AS
  SELECT agent_id, day, bucket, calls FROM agent_day_durations
  UNION ALL
  SELECT agent_id, day, duration_bucket(duration_ms), calls FROM usage_changes WHERE duration_ms IS NOT NULL;

CREATE TRIGGER invocations_usage AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.status IN ('succeeded', 'failed', 'disputed') AND NEW.status <> OLD.status
    AND NOT (NEW.status = 'succeeded' AND NEW.charged_units > 0))
  EXECUTE FUNCTION usage_follow_call();

-- Paid calls of an agent by UTC day and buyer, for the figures of listings and for findings of behaviour (ADR 0189).
-- The calls of the developer's own account and free calls are not among them. Written by buyer_days_add, which also
-- keeps the sums of each day, so that figures cost the same after any number of calls and buyers.
CREATE TABLE buyer_days (
  agent_id        text NOT NULL,
  day             date NOT NULL,
  buyer_user_id   text NOT NULL,
  succeeded       integer NOT NULL DEFAULT 0,
  refused         integer NOT NULL DEFAULT 0,
  failed          integer NOT NULL DEFAULT 0,
  code            text,
  open_succeeded  boolean NOT NULL DEFAULT false,
  open_refused    boolean NOT NULL DEFAULT false,
  open_failed     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (agent_id, day, buyer_user_id)
) WITH (fillfactor = 70);
COMMENT ON COLUMN buyer_days.refused IS 'Calls that the agent refused with a status 4xx';
COMMENT ON COLUMN buyer_days.failed IS 'Other failures of the agent, and charges that disputes took back';
COMMENT ON COLUMN buyer_days.code IS 'Error code of the latest failed call';
COMMENT ON COLUMN buyer_days.open_failed IS 'True until verification has judged this outcome of the buyer in this day';
CREATE INDEX buyer_days_open ON buyer_days (agent_id) WHERE open_succeeded OR open_refused OR open_failed;
CREATE INDEX buyer_days_day ON buyer_days (day);

CREATE TABLE buyer_day_sums (
  agent_id  text NOT NULL,
  day       date NOT NULL,
  calls     bigint NOT NULL,
  buyers    bigint NOT NULL,
  shares    numeric NOT NULL,
  PRIMARY KEY (agent_id, day)
) WITH (fillfactor = 50);
COMMENT ON COLUMN buyer_day_sums.calls IS 'Successes, and one more for each buyer with failures: these were refunded';
COMMENT ON COLUMN buyer_day_sums.shares IS 'The sum over the buyers of the share of their calls that succeeded';
CREATE INDEX buyer_day_sums_day ON buyer_day_sums (day);

CREATE TABLE buyer_day_disputes (
  agent_id       text NOT NULL,
  day            date NOT NULL,
  buyer_user_id  text NOT NULL
);
COMMENT ON TABLE buyer_day_disputes IS 'Charges that disputes took back, until buyer_days_dispute counts them';

GRANT SELECT ON usage_deltas, usage_changes, agent_days, agent_day_durations, agent_totals, agent_total_calls,
  agent_day_calls, agent_day_latencies, buyer_days, buyer_day_sums TO market_app;
GRANT UPDATE (open_succeeded, open_refused, open_failed) ON buyer_days TO market_app;

-- migrate:down

DROP TABLE buyer_day_disputes, buyer_day_sums, buyer_days;
DROP TRIGGER IF EXISTS invocations_usage ON invocations;
DROP VIEW IF EXISTS agent_day_latencies, agent_total_calls, agent_day_calls, usage_changes;
DROP TABLE agent_day_durations, agent_totals, agent_days, usage_deltas;
