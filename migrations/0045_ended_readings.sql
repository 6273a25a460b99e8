-- What ended the process that reads a bundle would end it again, so the same bundle is not read again (ADR 0251).

-- migrate:up

CREATE TABLE ended_readings (
  bundle_sha256  text PRIMARY KEY CHECK (bundle_sha256 ~ '^[0-9a-f]{64}$'),
  gap            text NOT NULL CHECK (gap IN ('reader_ended', 'too_slow')),
  parts          text NOT NULL,
  ended_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE ended_readings IS 'Bundles whose reader was ended by its limits or by a crash: they are not read again';
COMMENT ON COLUMN ended_readings.parts IS 'JSON of what the reader had found before it ended';

GRANT SELECT, INSERT ON ended_readings TO market_app;

-- migrate:down

DROP TABLE ended_readings;
