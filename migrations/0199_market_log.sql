-- The market log: of each sealed day, what the ledger owed at its end, as sum trees over the balances of its accounts
-- (docs/proof-of-liabilities.md, ADR 0465). It is derived from the entries of sealed days alone.

-- migrate:up

CREATE TABLE market_log_balances (
  account_id    bigint PRIMARY KEY,
  day           date NOT NULL,
  units         bigint NOT NULL,
  units_before  bigint NOT NULL
) WITH (fillfactor = 70);
COMMENT ON TABLE market_log_balances IS 'What each account had at the end of a day; rows of days without movements are as they were';
COMMENT ON COLUMN market_log_balances.day IS 'The last day that moved the account, of those that were read';
COMMENT ON COLUMN market_log_balances.units_before IS 'What it had when that day began, so that the published day can be read while the next one is made';
GRANT SELECT, INSERT, UPDATE ON market_log_balances TO market_app;

CREATE TABLE market_log_work (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  day           date NOT NULL,
  read_to       text NOT NULL DEFAULT '',
  next_bucket   bigint NOT NULL DEFAULT 0 CHECK (next_bucket >= 0)
);
COMMENT ON TABLE market_log_work IS 'The day of the market log that is being made, or was made last';
COMMENT ON COLUMN market_log_work.read_to IS 'The entries of transactions with lower ids are in market_log_balances';
COMMENT ON COLUMN market_log_work.next_bucket IS 'Buckets of accounts below it have their nodes';
GRANT SELECT, INSERT, UPDATE ON market_log_work TO market_app;

CREATE TABLE market_log_secrets (
  day     text PRIMARY KEY CHECK (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  sealed  bytea NOT NULL
);
COMMENT ON TABLE market_log_secrets IS 'The secret that blinds the leaves of a day; deleted when the day after is published';
COMMENT ON COLUMN market_log_secrets.sealed IS 'Envelope-encrypted; the context is the day';
GRANT SELECT, INSERT, DELETE ON market_log_secrets TO market_app;

CREATE TABLE market_log_nodes (
  day       date NOT NULL,
  kind      text NOT NULL,
  level     smallint NOT NULL CHECK (level >= 0),
  position  bigint NOT NULL CHECK (position >= 0),
  units     bigint NOT NULL CHECK (units >= 0),
  hash      text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (day, kind, level, position)
);
COMMENT ON TABLE market_log_nodes IS 'The nodes of the trees above their buckets, of the published day and the one that is being made';
GRANT SELECT, INSERT, DELETE ON market_log_nodes TO market_app;

CREATE TABLE market_log_days (
  day               date PRIMARY KEY REFERENCES ledger_digests,
  statement_sha256  text NOT NULL CHECK (statement_sha256 ~ '^[0-9a-f]{64}$'),
  previous_sha256   text NOT NULL CHECK (previous_sha256 ~ '^[0-9a-f]{64}$'),
  statement         text NOT NULL,
  kid               text NOT NULL REFERENCES signing_keys,
  seal              text NOT NULL,
  published_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT market_log_days_hash CHECK (statement_sha256 = encode(sha256(convert_to(statement, 'UTF8')), 'hex'))
);
COMMENT ON TABLE market_log_days IS 'The statements of the market log';
COMMENT ON COLUMN market_log_days.statement IS 'Canonical JSON (RFC 8785), the payload of the seal';
CREATE TRIGGER market_log_days_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON market_log_days
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON market_log_days TO market_app;

-- migrate:down

DROP TABLE market_log_days;
DROP TABLE market_log_nodes;
DROP TABLE market_log_secrets;
DROP TABLE market_log_work;
DROP TABLE market_log_balances;
