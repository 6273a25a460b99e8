-- Calls that callers without an account pay by x402 (ADR 0309).

-- migrate:up

ALTER TABLE users ADD COLUMN kind text NOT NULL DEFAULT 'person'
  CONSTRAINT users_kind_check CHECK (kind IN ('person', 'payer') AND (kind = 'person' OR role = 'buyer'));
COMMENT ON COLUMN users.kind IS 'payer: the account of a paying address; email is its CAIP-10 id, and it has no password';

CREATE TABLE x402_payments (
  payment_id     text PRIMARY KEY CHECK (payment_id ~ '^xpm_[0-9a-f]{32}$'),
  user_id        text NOT NULL REFERENCES users,
  network        text NOT NULL CHECK (network ~ '^eip155:[0-9]{1,20}$'),
  asset          text NOT NULL CHECK (asset ~ '^0x[0-9a-f]{40}$'),
  payer          text NOT NULL CHECK (payer ~ '^0x[0-9a-f]{40}$'),
  nonce          text NOT NULL CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
  pay_to         text NOT NULL CHECK (pay_to ~ '^0x[0-9a-f]{40}$'),
  amount_minor   bigint NOT NULL CHECK (amount_minor > 0),
  amount_units   bigint NOT NULL CHECK (amount_units > 0),
  identifier     text CHECK (length(identifier) BETWEEN 16 AND 128),
  proof_sha256   text NOT NULL CHECK (proof_sha256 ~ '^[0-9a-f]{64}$'),
  agent_id       text NOT NULL,
  input_sha256   text NOT NULL CHECK (length(input_sha256) <= 64),
  invocation_id  text,
  state          text NOT NULL CHECK (state IN ('held', 'released', 'settled', 'expired')),
  credits        smallint NOT NULL DEFAULT 0 CHECK (credits >= 0),
  valid_before   timestamptz NOT NULL,
  from_block     bigint NOT NULL CHECK (from_block >= 0),
  sent_at        timestamptz,
  tx_hash        text CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
  reason         text CHECK (length(reason) <= 80),
  trace_id       text CHECK (length(trace_id) <= 64),
  created_at     timestamptz NOT NULL DEFAULT now(),
  due_at         timestamptz,
  ended_at       timestamptz,
  UNIQUE (network, asset, payer, nonce),
  UNIQUE (user_id, identifier),
  CHECK ((state IN ('settled', 'expired')) = (ended_at IS NOT NULL)),
  CHECK ((ended_at IS NULL) = (due_at IS NOT NULL)),
  CHECK (state <> 'settled' OR tx_hash IS NOT NULL)
) WITH (fillfactor = 70);
COMMENT ON TABLE x402_payments IS 'Payments of callers without an account, one for each authorization';
COMMENT ON COLUMN x402_payments.proof_sha256 IS 'Of the authorization and its signature: who sends the same again is its payer';
COMMENT ON COLUMN x402_payments.invocation_id IS 'The call that it pays, or that it paid last; null if none was accepted';
COMMENT ON COLUMN x402_payments.credits IS 'How often the wallet was credited; the credits are there while it is held or settled';
COMMENT ON COLUMN x402_payments.from_block IS 'No earlier block has the payment';
COMMENT ON COLUMN x402_payments.sent_at IS 'When it was last sent to be settled; null before';
COMMENT ON COLUMN x402_payments.due_at IS 'When the loop looks at it next; null once it has ended';
CREATE INDEX x402_payments_due ON x402_payments (due_at) WHERE ended_at IS NULL;
CREATE INDEX x402_payments_held ON x402_payments (user_id) WHERE state = 'held';
CREATE INDEX x402_payments_call ON x402_payments (invocation_id);
CREATE INDEX x402_payments_of ON x402_payments (user_id, payment_id DESC);
CREATE TRIGGER x402_payments_moves BEFORE UPDATE ON x402_payments FOR EACH ROW
  EXECUTE FUNCTION x402_payment_moves();
CREATE TRIGGER x402_payments_never_deleted BEFORE DELETE OR TRUNCATE ON x402_payments FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, UPDATE (due_at) ON x402_payments TO market_app;

-- migrate:down

DROP TABLE x402_payments;
ALTER TABLE users DROP COLUMN kind;
