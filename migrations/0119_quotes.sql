-- Signed offers for one call of one input, which hold for ten minutes (ADR 0263).

-- migrate:up

CREATE TABLE price_quotes (
  quote_id      text PRIMARY KEY CHECK (quote_id ~ '^quo_[0-9a-f]{32}$'),
  user_id       text NOT NULL,
  agent_id      text NOT NULL,
  version_id    text NOT NULL REFERENCES agent_versions,
  input_sha256  text NOT NULL,
  is_former     boolean NOT NULL,
  expires_at    timestamptz NOT NULL
);
COMMENT ON COLUMN price_quotes.user_id IS 'The account that asked, and that alone may call by it';
COMMENT ON COLUMN price_quotes.is_former IS 'It offers the price before that of its version, which was announced';
CREATE INDEX price_quotes_expired ON price_quotes (expires_at);
GRANT SELECT, INSERT, DELETE ON price_quotes TO market_app;

CREATE TABLE quoted_calls (
  invocation_id  text PRIMARY KEY,
  quote_id       text NOT NULL,
  is_former      boolean NOT NULL
);
COMMENT ON TABLE quoted_calls IS 'The calls that were accepted by a quote; a quote buys one call that does not fail';
CREATE INDEX quoted_calls_quote ON quoted_calls (quote_id);
GRANT SELECT ON quoted_calls TO market_app;

-- migrate:down

DROP TABLE quoted_calls;
DROP TABLE price_quotes;
