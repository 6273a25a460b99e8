/**
 * Usage of agents by day, rolled up from calls that have ended (ADR 0054).
 *
 * A trigger on the call writes what changed to `usage_deltas`, in the transaction that ends the call; rows only, so
 * that calls of one agent never wait for each other. A loop adds them to the days. Read the views: they add what
 * waits, so that figures are exact at any time.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE usage_deltas (
    delta_id     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    agent_id     text NOT NULL,
    day          date NOT NULL,
    status       text NOT NULL CHECK (status IN ('succeeded', 'failed', 'disputed')),
    error_code   text NOT NULL,
    calls        smallint NOT NULL CHECK (calls IN (-1, 1)),
    gross_units  bigint NOT NULL,
    fee_units    bigint NOT NULL,
    duration_ms  integer
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
  COMMENT ON COLUMN usage_deltas.calls IS '1: the call has this status now; -1: it no longer has it';
  COMMENT ON COLUMN usage_deltas.duration_ms IS 'Of a success that has a duration';
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

  CREATE VIEW agent_day_calls AS
    SELECT agent_id, day, status, error_code, calls, gross_units, fee_units FROM agent_days
    UNION ALL
    SELECT agent_id, day, status, error_code, calls, gross_units, fee_units FROM usage_deltas;
  CREATE VIEW agent_total_calls AS
    SELECT agent_id, status, error_code, calls, gross_units, fee_units FROM agent_totals
    UNION ALL
    SELECT agent_id, status, error_code, calls, gross_units, fee_units FROM usage_deltas;
  CREATE VIEW agent_day_latencies AS
    SELECT agent_id, day, bucket, calls FROM agent_day_durations
    UNION ALL
    SELECT agent_id, day, duration_bucket(duration_ms), calls FROM usage_deltas WHERE duration_ms IS NOT NULL;

  CREATE TRIGGER invocations_usage AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.status IN ('succeeded', 'failed', 'disputed') AND NEW.status <> OLD.status)
    EXECUTE FUNCTION usage_follow_call();

  GRANT SELECT ON usage_deltas, agent_days, agent_day_durations, agent_totals, agent_total_calls, agent_day_calls, agent_day_latencies TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER IF EXISTS invocations_usage ON invocations;
  DROP VIEW IF EXISTS agent_day_latencies, agent_total_calls, agent_day_calls;
  DROP TABLE agent_day_durations, agent_totals, agent_days, usage_deltas;
`);
