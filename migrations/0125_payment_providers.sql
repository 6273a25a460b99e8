-- Payment providers are rows (ADR 0302), payers save methods, and top-ups in EUR and GBP have a rate (ADR 0303).

-- migrate:up

ALTER TABLE topups DROP CONSTRAINT topups_provider_check,
  ADD CONSTRAINT topups_provider_check CHECK (provider IN ('sandbox', 'razorpay', 'stripe')),
  ADD COLUMN rate numeric(14, 6) CHECK (rate > 0),
  ADD COLUMN rate_at timestamptz,
  ADD COLUMN spread_percent numeric(4, 2) CHECK (spread_percent >= 0),
  ADD COLUMN saves_method boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT topups_rate CHECK ((rate IS NULL) = (rate_at IS NULL) AND (rate IS NULL) = (spread_percent IS NULL));
COMMENT ON COLUMN topups.rate IS 'Units of the currency for one dollar, with which amount_units was computed; null for a fixed price';
COMMENT ON COLUMN topups.spread_percent IS 'How far the applied rate lay below that';
COMMENT ON COLUMN topups.saves_method IS 'The payer wants to save the payment method';
ALTER TABLE payment_events DROP CONSTRAINT payment_events_provider_check,
  ADD CONSTRAINT payment_events_provider_check CHECK (provider IN ('razorpay', 'stripe'));
ALTER TABLE payments DROP CONSTRAINT payments_provider_check,
  ADD CONSTRAINT payments_provider_check CHECK (provider IN ('razorpay', 'stripe'));
ALTER TABLE payment_reversals DROP CONSTRAINT payment_reversals_provider_check,
  ADD CONSTRAINT payment_reversals_provider_check CHECK (provider IN ('razorpay', 'stripe'));
GRANT INSERT (rate, rate_at, spread_percent, saves_method) ON topups TO market_app;

ALTER TABLE fx_rates DROP CONSTRAINT fx_rates_quote_check,
  ADD CONSTRAINT fx_rates_quote_check CHECK (quote IN ('INR', 'EUR', 'GBP'));

CREATE TABLE saved_methods (
  method_id     text PRIMARY KEY CHECK (method_id ~ '^svm_[0-9a-f]{32}$'),
  user_id       text NOT NULL REFERENCES users,
  provider      text NOT NULL CHECK (provider IN ('sandbox', 'razorpay', 'stripe')),
  customer_ref  text NOT NULL CHECK (length(customer_ref) BETWEEN 1 AND 100),
  method_ref    text NOT NULL CHECK (length(method_ref) BETWEEN 1 AND 100),
  label         text NOT NULL CHECK (length(label) BETWEEN 1 AND 100),
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  created_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  CONSTRAINT saved_methods_once UNIQUE (provider, method_ref)
);
COMMENT ON TABLE saved_methods IS 'Payment methods that payers have saved at a provider, by its ids; no card data';
COMMENT ON COLUMN saved_methods.currency IS 'That of the payment that saved it';
CREATE INDEX saved_methods_user ON saved_methods (user_id, method_id DESC) WHERE ended_at IS NULL;
CREATE INDEX saved_methods_customer ON saved_methods (user_id, provider, method_id DESC);
GRANT SELECT ON saved_methods TO market_app;

-- migrate:down

DROP TABLE saved_methods;
DELETE FROM fx_rates WHERE quote <> 'INR';
ALTER TABLE fx_rates DROP CONSTRAINT fx_rates_quote_check,
  ADD CONSTRAINT fx_rates_quote_check CHECK (quote = 'INR');
-- Payments of Stripe stay: their release refuses no row that it did not write.
ALTER TABLE payment_reversals DROP CONSTRAINT payment_reversals_provider_check,
  ADD CONSTRAINT payment_reversals_provider_check CHECK (provider IN ('razorpay')) NOT VALID;
ALTER TABLE payments DROP CONSTRAINT payments_provider_check,
  ADD CONSTRAINT payments_provider_check CHECK (provider IN ('razorpay')) NOT VALID;
ALTER TABLE payment_events DROP CONSTRAINT payment_events_provider_check,
  ADD CONSTRAINT payment_events_provider_check CHECK (provider IN ('razorpay')) NOT VALID;
ALTER TABLE topups DROP CONSTRAINT topups_provider_check, DROP CONSTRAINT topups_rate,
  ADD CONSTRAINT topups_provider_check CHECK (provider IN ('sandbox', 'razorpay')) NOT VALID,
  DROP COLUMN rate, DROP COLUMN rate_at, DROP COLUMN spread_percent, DROP COLUMN saves_method;
