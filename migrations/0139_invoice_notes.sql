-- Credit notes for refunds and chargebacks of top-ups, and debit notes for chargebacks that were won after they had taken
-- the credits (ADR 0368).

-- migrate:up

CREATE TABLE invoice_notes (
  note_id       text PRIMARY KEY CHECK (note_id ~ '^nte_[0-9a-f]{32}$'),
  kind          text NOT NULL CHECK (kind IN ('credit', 'debit')),
  number        text NOT NULL UNIQUE,
  series        text NOT NULL REFERENCES invoice_series,
  series_no     bigint NOT NULL CHECK (series_no > 0),
  invoice_id    text NOT NULL REFERENCES invoices,
  reversal_id   text NOT NULL REFERENCES payment_reversals,
  user_id       text NOT NULL REFERENCES users,
  amount_minor  bigint NOT NULL CHECK (amount_minor > 0),
  tax_minor     bigint NOT NULL CHECK (tax_minor BETWEEN 0 AND amount_minor),
  amount_units  bigint NOT NULL CHECK (amount_units >= 0),
  issued_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (series, series_no),
  UNIQUE (reversal_id, kind)
);
COMMENT ON TABLE invoice_notes IS 'What takes back a part of an invoice or all of it (credit), and what restores that (debit)';
CREATE INDEX invoice_notes_user ON invoice_notes (user_id, note_id DESC);
CREATE INDEX invoice_notes_invoice ON invoice_notes (invoice_id);
CREATE TRIGGER invoice_notes_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON invoice_notes
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON invoice_notes TO market_app;

-- migrate:down

DROP FUNCTION IF EXISTS billing_issue_note(text, text, text, bigint, bigint);
DROP TABLE invoice_notes;
