-- The buyers of an agent hear of a higher price before it counts, in turns of bounded size (ADR 0262).

-- migrate:up

CREATE TABLE price_rises (
  agent_id      text NOT NULL REFERENCES agents,
  effective_at  timestamptz NOT NULL,
  announced_at  timestamptz NOT NULL DEFAULT now(),
  last_day      date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  day           date NOT NULL,
  after_user    text NOT NULL DEFAULT '',
  notified      integer NOT NULL DEFAULT 0,
  ended_at      timestamptz,
  PRIMARY KEY (agent_id, effective_at)
);
COMMENT ON TABLE price_rises IS 'Announced higher prices; the notices of one without ended_at are being written';
COMMENT ON COLUMN price_rises.last_day IS 'Buyers with paid calls until this UTC day are notified';
COMMENT ON COLUMN price_rises.day IS 'The UTC day whose buyers are notified next, those behind after_user';
CREATE INDEX price_rises_open ON price_rises (announced_at) WHERE ended_at IS NULL;
GRANT SELECT, INSERT ON price_rises TO market_app;

-- migrate:down

DROP TABLE price_rises;
