-- What accounts paid for calls by UTC day, agent and key, rolled up from calls that have ended (ADR 0261).

-- migrate:up

CREATE TABLE spend_days (
  buyer_user_id  text NOT NULL,
  day            date NOT NULL,
  agent_id       text NOT NULL,
  key_id         text NOT NULL,
  calls          bigint NOT NULL,
  charged_units  bigint NOT NULL,
  PRIMARY KEY (buyer_user_id, day, agent_id, key_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE spend_days IS 'Charges as they were made: what disputes and slashes returned later is not taken off';
COMMENT ON COLUMN spend_days.day IS 'UTC day in which the calls were accepted';
COMMENT ON COLUMN spend_days.key_id IS 'Empty for calls without a key';

CREATE TABLE spend_reached (
  is_only        boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  invocation_id  text NOT NULL
);
COMMENT ON TABLE spend_reached IS 'The last call that spend_days contains: one row';
INSERT INTO spend_reached (invocation_id) VALUES ('');

GRANT SELECT ON spend_days, spend_reached TO market_app;

-- migrate:down

DROP TABLE spend_reached, spend_days;
