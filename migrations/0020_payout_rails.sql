-- The payout rails as rows, which `migrate` writes from `RAILS` in src/domain/payouts/rails.ts (ADR 0219).

-- migrate:up

CREATE TABLE payout_rails (
  method            text PRIMARY KEY,
  channel           text NOT NULL CHECK (channel IN ('file', 'chain')),
  currency          text NOT NULL,
  minimum_units     bigint NOT NULL CHECK (minimum_units > 0),
  minor_per_credit  bigint NOT NULL CHECK (minor_per_credit > 0),
  rate_quote        text
);
COMMENT ON TABLE payout_rails IS 'The rails of src/domain/payouts/rails.ts; written by migrate';
COMMENT ON COLUMN payout_rails.minor_per_credit IS 'Smallest units of the currency for one credit, before the exchange rate';
COMMENT ON COLUMN payout_rails.rate_quote IS 'The currency of the rate for one US dollar; null: no rate is needed';
CREATE UNIQUE INDEX payout_rails_chain ON payout_rails (channel) WHERE channel = 'chain';

-- The rails are written after this, and the key is checked then.
ALTER TABLE payout_methods
  DROP CONSTRAINT payout_methods_method_check,
  ADD CONSTRAINT payout_methods_rail FOREIGN KEY (method) REFERENCES payout_rails NOT VALID;
DROP FUNCTION IF EXISTS payout_minor(bigint, text, numeric);
DROP FUNCTION IF EXISTS payout_used_units(bigint, text, numeric);

-- migrate:down

ALTER TABLE payout_methods
  DROP CONSTRAINT payout_methods_rail,
  ADD CONSTRAINT payout_methods_method_check CHECK (method IN ('ach', 'swift', 'upi', 'usdc')) NOT VALID;
DROP TABLE payout_rails;
