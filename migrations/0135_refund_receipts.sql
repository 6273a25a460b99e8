-- Signed receipts of what disputes returned (ADR 0356).

-- migrate:up

CREATE TABLE refund_evidence (
  invocation_id  text PRIMARY KEY,
  kid            text NOT NULL REFERENCES signing_keys,
  signature      text NOT NULL,
  signed_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE refund_evidence IS 'Signatures over what disputes returned of charges: a call has at most one dispute';
GRANT SELECT, INSERT ON refund_evidence TO market_app;

-- migrate:down

DROP TABLE refund_evidence;
