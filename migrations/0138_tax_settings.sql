-- Who issues invoices, and the taxes on top-ups (ADR 0358). Settings are written once: each change is a new row, and the
-- newest row counts. A top-up keeps the terms of the day on which it was opened, and its invoice has them.

-- migrate:up

CREATE TABLE tax_settings (
  settings_id  text PRIMARY KEY CHECK (settings_id ~ '^txs_[0-9a-f]{32}$'),
  entity_no    smallint NOT NULL CHECK (entity_no BETWEEN 1 AND 99),
  issuer       jsonb NOT NULL,
  rates        jsonb NOT NULL,
  set_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE tax_settings IS 'The issuer of invoices and the tax rates by country; the newest row counts';
COMMENT ON COLUMN tax_settings.entity_no IS
  'The legal entity: each has series of numbers of its own, such as INV-2026 for the first and INV2-2026 for the second';
CREATE TRIGGER tax_settings_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON tax_settings
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON tax_settings TO market_app;

ALTER TABLE topups ADD COLUMN tax_minor bigint NOT NULL DEFAULT 0, ADD COLUMN terms jsonb,
  ADD CONSTRAINT topups_tax CHECK (tax_minor >= 0 AND tax_minor < amount_minor);
COMMENT ON COLUMN topups.amount_minor IS 'What is paid, with tax';
COMMENT ON COLUMN topups.tax_minor IS 'The part of amount_minor that is tax; the rest is the price of the credits';
COMMENT ON COLUMN topups.terms IS 'Issuer, buyer and tax as they were when it was opened; null without tax settings';
GRANT INSERT (tax_minor, terms) ON topups TO market_app;

ALTER TABLE invoices ADD COLUMN tax_minor bigint NOT NULL DEFAULT 0, ADD COLUMN issuer jsonb, ADD COLUMN tax jsonb;
COMMENT ON COLUMN invoices.issuer IS 'Who issued it, as it was then; null before the operator had set an issuer';
COMMENT ON COLUMN invoices.tax IS 'Country, treatment and rates of its day; null before the operator had set an issuer';

ALTER TABLE invoice_series DROP CONSTRAINT invoice_series_series_check,
  ADD CONSTRAINT invoice_series_series_check CHECK (series ~ '^(INV|SBX|CRN|DBN|SBC|SBD)([2-9]|[1-9][0-9])?-[0-9]{4}$');

-- Its argument list has the tax; that of a new database has it already.
DROP FUNCTION IF EXISTS payment_resolve(text, text, text, bigint, text);

-- migrate:down

DROP FUNCTION IF EXISTS payment_resolve(text, text, text, bigint, text, bigint, jsonb);
ALTER TABLE invoice_series DROP CONSTRAINT invoice_series_series_check,
  ADD CONSTRAINT invoice_series_series_check CHECK (series ~ '^(INV|SBX)-[0-9]{4}$') NOT VALID;
ALTER TABLE invoices DROP COLUMN tax_minor, DROP COLUMN issuer, DROP COLUMN tax;
ALTER TABLE topups DROP CONSTRAINT topups_tax, DROP COLUMN tax_minor, DROP COLUMN terms;
DROP TABLE tax_settings;
