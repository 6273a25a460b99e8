-- The history of the public status page (ADR 0267): for each UTC day and part, how many minutes were noted and in how
-- many of them the part failed. API processes note what their checks see; a minute that none noted is an outage.

-- migrate:up

CREATE TABLE status_minutes (
  minute  timestamptz NOT NULL,
  part    text NOT NULL CHECK (part IN ('api', 'calls', 'background')),
  ok      boolean NOT NULL,
  PRIMARY KEY (minute, part)
);
COMMENT ON COLUMN status_minutes.ok IS 'False when a check of any API process failed in this minute';

CREATE TABLE status_days (
  day      date NOT NULL,
  part     text NOT NULL,
  minutes  integer NOT NULL CHECK (minutes >= 0),
  failed   integer NOT NULL CHECK (failed >= 0),
  first    timestamptz NOT NULL,
  PRIMARY KEY (day, part)
) WITH (fillfactor = 50);
COMMENT ON COLUMN status_days.first IS 'The first minute of the day that was noted';
COMMENT ON COLUMN status_days.minutes IS 'Minutes of the UTC day that were noted';

GRANT SELECT ON status_minutes, status_days TO market_app;

-- migrate:down

DROP TABLE status_minutes, status_days;
