-- Figures of the whole marketplace for operators: calls by minute of the last hours, and by day (ADR 0266). The loop
-- that adds up the usage of agents writes them, so that they cost the same after any number of calls.

-- migrate:up

-- The roll-up of usage waits, so that the rows below miss nothing that it adds up.
SELECT pg_advisory_xact_lock(7203005);

CREATE TABLE market_minutes (
  minute       timestamptz NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  bucket       smallint NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  PRIMARY KEY (minute, status, error_code, bucket)
) WITH (fillfactor = 50);
COMMENT ON TABLE market_minutes IS 'Calls of all agents by the minute in which their end was counted; older minutes are deleted';
COMMENT ON COLUMN market_minutes.bucket IS 'duration_bucket of successes; -1 without a duration';

CREATE TABLE market_days (
  day          date NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  bucket       smallint NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  PRIMARY KEY (day, status, error_code, bucket)
) WITH (fillfactor = 50);
COMMENT ON TABLE market_days IS 'Calls of all agents by the UTC day in which they were accepted';

GRANT SELECT ON market_minutes, market_days TO market_app;

-- Money stands in the rows without a duration, and so do the calls whose duration agent_day_durations does not have.
INSERT INTO market_days
SELECT d.day, d.status, d.error_code, -1,
  sum(d.calls) - CASE WHEN d.status = 'succeeded' THEN coalesce(min(t.calls), 0) ELSE 0 END, sum(d.gross_units), sum(d.fee_units)
  FROM agent_days d LEFT JOIN (
    SELECT day, sum(calls) AS calls FROM agent_day_durations GROUP BY day) t USING (day) GROUP BY 1, 2, 3;
INSERT INTO market_days
SELECT day, 'succeeded', '', bucket, sum(calls), 0, 0 FROM agent_day_durations GROUP BY day, bucket;

-- migrate:down

DROP TABLE market_minutes, market_days;
