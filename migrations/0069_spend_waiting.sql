-- Jobs run for days: the roll-up of what accounts paid passes calls that are open, and adds them when they have ended.

-- migrate:up

CREATE TABLE spend_waiting (
  invocation_id  text PRIMARY KEY,
  buyer_user_id  text NOT NULL,
  looked_at      timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
COMMENT ON TABLE spend_waiting IS 'Calls that were open when the roll-up passed them, and that spend_days does not contain';
COMMENT ON COLUMN spend_waiting.looked_at IS 'When the roll-up last looked whether the call has ended';
CREATE INDEX spend_waiting_buyer ON spend_waiting (buyer_user_id);
CREATE INDEX spend_waiting_looked ON spend_waiting (looked_at);
GRANT SELECT ON spend_waiting TO market_app;

-- migrate:down

DROP TABLE spend_waiting;
