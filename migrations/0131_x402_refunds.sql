-- Credits that a paying address has sent back to it (ADR 0313), and the statements by which it acts on them.

-- migrate:up

CREATE TABLE x402_sign_ins (
  address   text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  nonce     text NOT NULL CHECK (length(nonce) BETWEEN 8 AND 64),
  ends_at   timestamptz NOT NULL,
  PRIMARY KEY (address, nonce)
);
COMMENT ON TABLE x402_sign_ins IS 'Statements that a paying address has used; each counts once';
CREATE INDEX x402_sign_ins_ended ON x402_sign_ins (ends_at);
GRANT SELECT, INSERT, DELETE ON x402_sign_ins TO market_app;

CREATE TABLE x402_refunds (
  refund_id     text PRIMARY KEY CHECK (refund_id ~ '^xrf_[0-9a-f]{32}$'),
  user_id       text NOT NULL REFERENCES users,
  network       text NOT NULL CHECK (network ~ '^eip155:[0-9]{1,20}$'),
  asset         text NOT NULL CHECK (asset ~ '^0x[0-9a-f]{40}$'),
  treasury      text NOT NULL CHECK (treasury ~ '^0x[0-9a-f]{40}$'),
  pay_to        text NOT NULL CHECK (pay_to ~ '^0x[0-9a-f]{40}$'),
  nonce         text NOT NULL CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
  amount_units  bigint NOT NULL CHECK (amount_units > 0),
  amount_minor  bigint NOT NULL CHECK (amount_minor > 0),
  state         text NOT NULL DEFAULT 'pending'
                CHECK (state IN ('pending', 'unknown', 'submitted', 'confirmed', 'failed')),
  reason        text CHECK (length(reason) <= 80),
  valid_before  timestamptz NOT NULL,
  from_block    bigint NOT NULL CHECK (from_block >= 0),
  sealed        bytea NOT NULL,
  tx_hash       text CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
  trace_id      text CHECK (length(trace_id) <= 64),
  created_at    timestamptz NOT NULL DEFAULT now(),
  due_at        timestamptz DEFAULT now(),
  ended_at      timestamptz,
  UNIQUE (network, asset, treasury, nonce),
  CHECK ((state IN ('confirmed', 'failed')) = (ended_at IS NOT NULL)),
  CHECK ((ended_at IS NULL) = (due_at IS NOT NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE x402_refunds IS 'Credits that are sent back to a paying address, each by one transfer of the treasury';
COMMENT ON COLUMN x402_refunds.sealed IS 'The signed transfer';
CREATE INDEX x402_refunds_due ON x402_refunds (due_at) WHERE ended_at IS NULL;
CREATE INDEX x402_refunds_of ON x402_refunds (user_id, refund_id DESC);
CREATE TRIGGER x402_refunds_moves BEFORE UPDATE ON x402_refunds FOR EACH ROW EXECUTE FUNCTION x402_refund_moves();
CREATE TRIGGER x402_refunds_never_deleted BEFORE DELETE OR TRUNCATE ON x402_refunds FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, UPDATE (due_at, sealed) ON x402_refunds TO market_app;

-- migrate:down

DROP TABLE x402_refunds;
DROP TABLE x402_sign_ins;
