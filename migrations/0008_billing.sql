-- Money that comes in: top-ups, invoices and the payments that a provider reports (contract, "Billing"); and the rate
-- of the platform's fee.
--
-- A payment credits its top-up once: events are unique by their id, payments by theirs, and both are written in the
-- transaction that credits. A payment that does not fit its top-up is quarantined: it credits nothing until an
-- operator decides.
--
--   payment: credited | quarantined → resolved_credited | resolved_returned
--
-- A refund or a lost chargeback takes the credits of its payment back, once (ADR 0066): from the wallet, and what the
-- wallet lacks becomes a debt that freezes it until top-ups have paid the debt.
--
--   reversal: open → waiting → taken → returned; open → closed → taken | returned

-- migrate:up

CREATE TABLE topups (
  topup_id            text PRIMARY KEY CHECK (topup_id ~ '^top_[0-9a-f]{32}$'),
  user_id             text NOT NULL REFERENCES users,
  amount_minor        bigint NOT NULL CHECK (amount_minor > 0),
  currency            text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  amount_units        bigint NOT NULL CHECK (amount_units BETWEEN 1 AND 9007199254740991),
  provider            text NOT NULL CHECK (provider IN ('sandbox', 'razorpay')),
  provider_reference  text CHECK (length(provider_reference) <= 200),
  payment_url         text CHECK (length(payment_url) <= 2000),
  status              text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
  idempotency_key     text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
  trace_id            text CHECK (length(trace_id) <= 64),
  created_at          timestamptz NOT NULL DEFAULT now(),
  completed_at        timestamptz,
  CONSTRAINT topups_key UNIQUE (user_id, idempotency_key),
  CONSTRAINT topups_provider_reference UNIQUE (provider, provider_reference),
  CHECK ((status = 'pending') = (completed_at IS NULL))
);
CREATE TRIGGER topups_event AFTER UPDATE OF status ON topups FOR EACH ROW
  WHEN (NEW.status = 'succeeded' AND OLD.status <> 'succeeded') EXECUTE FUNCTION event_of_topup();

-- The last number of each series; numbers have no gaps.
CREATE TABLE invoice_series (
  series       text PRIMARY KEY CHECK (series ~ '^(INV|SBX)-[0-9]{4}$'),
  last_number  bigint NOT NULL CHECK (last_number > 0)
);

CREATE TABLE invoices (
  invoice_id    text PRIMARY KEY CHECK (invoice_id ~ '^ivc_[0-9a-f]{32}$'),
  number        text NOT NULL UNIQUE,
  series        text NOT NULL REFERENCES invoice_series,
  series_no     bigint NOT NULL CHECK (series_no > 0),
  topup_id      text NOT NULL UNIQUE REFERENCES topups,
  user_id       text NOT NULL REFERENCES users,
  amount_minor  bigint NOT NULL,
  currency      text NOT NULL,
  amount_units  bigint NOT NULL,
  status        text NOT NULL CHECK (status IN ('paid', 'sandbox')),
  issued_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (series, series_no)
);
CREATE INDEX invoices_user ON invoices (user_id, invoice_id DESC);
CREATE TRIGGER invoices_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON invoices
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE payment_events (
  provider     text NOT NULL CHECK (provider IN ('razorpay')),
  event_id     text NOT NULL CHECK (length(event_id) BETWEEN 1 AND 200),
  type         text NOT NULL CHECK (length(type) <= 100),
  payment_id   text CHECK (length(payment_id) <= 100),
  received_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, event_id)
);
CREATE TRIGGER payment_events_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_events
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE payments (
  payment_id         text PRIMARY KEY CHECK (length(payment_id) BETWEEN 1 AND 100),
  provider           text NOT NULL CHECK (provider IN ('razorpay')),
  reference          text CHECK (length(reference) <= 100),
  amount_minor       bigint NOT NULL CHECK (amount_minor BETWEEN 0 AND 9007199254740991),
  currency           text NOT NULL CHECK (length(currency) BETWEEN 1 AND 16),
  topup_id           text REFERENCES topups,
  state              text NOT NULL
                     CHECK (state IN ('credited', 'quarantined', 'resolved_credited', 'resolved_returned')),
  quarantine_reason  text CHECK (quarantine_reason IN
    ('amount_mismatch', 'currency_mismatch', 'unknown_topup', 'topup_closed', 'paid_twice')),
  credited_topup_id  text UNIQUE REFERENCES topups,
  received_at        timestamptz NOT NULL DEFAULT now(),
  resolved_at        timestamptz,
  CHECK ((state = 'credited') = (quarantine_reason IS NULL)),
  CHECK ((state IN ('credited', 'resolved_credited')) = (credited_topup_id IS NOT NULL)),
  CHECK ((state IN ('resolved_credited', 'resolved_returned')) = (resolved_at IS NOT NULL))
);
COMMENT ON COLUMN payments.reference IS 'What the provider says the payment is for; our top-up id, if it is honest';
COMMENT ON COLUMN payments.credited_topup_id IS
  'The top-up that the money became: its own, or the one that an operator''s decision made';
CREATE INDEX payments_received ON payments (received_at DESC, payment_id DESC);
CREATE INDEX payments_quarantined ON payments (payment_id DESC) WHERE state = 'quarantined';
CREATE TRIGGER payments_guard BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION payment_guard();
CREATE TRIGGER payments_never_deleted BEFORE DELETE OR TRUNCATE ON payments
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Refunds and chargebacks, by the provider's id. payment_id has no foreign key: a reversal may arrive before its
-- payment, and waits for it.
CREATE TABLE payment_reversals (
  reversal_id     text PRIMARY KEY CHECK (reversal_id ~ '^[A-Za-z0-9_]{1,100}$'),
  provider        text NOT NULL CHECK (provider IN ('razorpay')),
  kind            text NOT NULL CHECK (kind IN ('refund', 'dispute')),
  payment_id      text NOT NULL CHECK (length(payment_id) BETWEEN 1 AND 100),
  amount_minor    bigint NOT NULL CHECK (amount_minor BETWEEN 0 AND 9007199254740991),
  currency        text NOT NULL CHECK (length(currency) BETWEEN 1 AND 16),
  state           text NOT NULL CHECK (state IN ('open', 'waiting', 'taken', 'closed', 'returned')),
  user_id         text REFERENCES users,
  reversed_units  bigint NOT NULL DEFAULT 0 CHECK (reversed_units >= 0),
  owed_units      bigint NOT NULL DEFAULT 0 CHECK (owed_units BETWEEN 0 AND reversed_units),
  received_at     timestamptz NOT NULL DEFAULT now(),
  taken_at        timestamptz,
  CHECK (reversed_units = 0 OR (user_id IS NOT NULL AND taken_at IS NOT NULL)),
  CHECK (owed_units = 0 OR state = 'taken')
);
COMMENT ON COLUMN payment_reversals.reversed_units IS 'Taken back in total, from the wallet and as a debt';
COMMENT ON COLUMN payment_reversals.owed_units IS 'The debt that top-ups have not paid yet';
CREATE INDEX payment_reversals_payment ON payment_reversals (payment_id);
CREATE INDEX payment_reversals_received ON payment_reversals (received_at DESC, reversal_id DESC);
CREATE INDEX payment_reversals_owed ON payment_reversals (received_at DESC, reversal_id DESC) WHERE owed_units > 0;
CREATE INDEX payment_reversals_debtor ON payment_reversals (user_id) WHERE owed_units > 0;
CREATE TRIGGER payment_reversals_never_deleted BEFORE DELETE OR TRUNCATE ON payment_reversals
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Wallets that an operator or a debt has frozen: they pay for no call, and nothing is paid out. Calls accepted before
-- end as they would, and money still comes in. operator_actions has who froze and unfroze a wallet, when and why.
CREATE TABLE frozen_wallets (
  user_id    text NOT NULL REFERENCES users,
  cause      text NOT NULL DEFAULT 'operator' CHECK (cause IN ('operator', 'debt')),
  frozen_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, cause)
);

-- One row. Its rate counts for versions that go live from then on; `market operator fee` changes it.
CREATE TABLE platform_settings (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  fee_percent  smallint NOT NULL CHECK (fee_percent BETWEEN 0 AND 50),
  updated_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN platform_settings.fee_percent IS 'The platform''s share of each charge, in whole percent';
INSERT INTO platform_settings (fee_percent) VALUES (3);

GRANT SELECT, UPDATE (fee_percent, updated_at) ON platform_settings TO market_app;
GRANT SELECT, UPDATE (provider_reference, payment_url),
  INSERT (topup_id, user_id, amount_minor, currency, amount_units, provider, provider_reference, payment_url,
    idempotency_key, trace_id)
  ON topups TO market_app;
GRANT SELECT ON invoice_series, invoices, payment_events, payments, payment_reversals, frozen_wallets
  TO market_app;

-- migrate:down

DROP TABLE platform_settings;
DROP TABLE frozen_wallets;
DROP TABLE payment_reversals;
DROP TABLE payments;
DROP TABLE payment_events;
DROP TABLE invoices;
DROP TABLE invoice_series;
DROP TABLE topups;
