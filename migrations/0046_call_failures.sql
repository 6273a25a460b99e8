-- What is known about failed calls, for the developers of their agents (ADR 0260). What an agent said itself is stored
-- with the answers, encrypted, for the buyer.

-- migrate:up

CREATE TABLE call_failures (
  invocation_id  text PRIMARY KEY,
  phase          text NOT NULL CHECK (phase IN ('connection', 'answer', 'schema')),
  http_status    smallint CHECK (http_status BETWEEN 100 AND 999),
  schema_path    text CHECK (length(schema_path) <= 300),
  problem        text CHECK (length(problem) <= 300),
  failed_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE call_failures IS 'Where calls failed; deleted by retention_purge after 31 days';
COMMENT ON COLUMN call_failures.phase IS 'connection: no response came; answer: the response was refused; schema: the answer violates the output schema';
COMMENT ON COLUMN call_failures.schema_path IS 'JSON pointer to the first value that violates the output schema';
CREATE INDEX call_failures_time ON call_failures (failed_at);

GRANT SELECT ON call_failures TO market_app;

-- migrate:down

DROP TABLE call_failures;
