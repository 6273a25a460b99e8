/**
 * Where developers want their money, their tax forms, and rates of exchange. All three are only added to: a payout
 * names the method that it was reserved with, so that a later one counts from the next run on, and the rate it used.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE payout_methods (
    method_id          text PRIMARY KEY CHECK (method_id ~ '^pmt_[0-9a-f]{32}$'),
    developer_user_id  text NOT NULL REFERENCES users,
    method             text NOT NULL CHECK (method IN ('ach', 'swift', 'upi', 'usdc')),
    sealed             bytea NOT NULL,
    masked             jsonb NOT NULL,
    created_at         timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN payout_methods.sealed IS 'Envelope-encrypted details; the context is the method id';
  COMMENT ON COLUMN payout_methods.masked IS 'The details as people may read them';
  CREATE INDEX payout_methods_developer ON payout_methods (developer_user_id, method_id DESC);

  CREATE TABLE tax_forms (
    form_id            text PRIMARY KEY CHECK (form_id ~ '^tax_[0-9a-f]{32}$'),
    developer_user_id  text NOT NULL REFERENCES users,
    kind               text NOT NULL CHECK (kind IN ('w9', 'w8ben', 'w8bene')),
    sealed             bytea NOT NULL,
    masked             jsonb NOT NULL,
    status             text NOT NULL DEFAULT 'submitted' CHECK (status IN ('submitted', 'accepted', 'rejected')),
    submitted_at       timestamptz NOT NULL DEFAULT now(),
    reviewed_at        timestamptz,
    reviewed_by        text,
    review_reason      text,
    CONSTRAINT tax_forms_review CHECK ((status = 'submitted') = (reviewed_at IS NULL)
      AND (reviewed_at IS NULL) = (reviewed_by IS NULL))
  );
  COMMENT ON COLUMN tax_forms.sealed IS 'Envelope-encrypted details; the context is the form id';
  CREATE INDEX tax_forms_developer ON tax_forms (developer_user_id, form_id DESC);

  CREATE TABLE fx_rates (
    rate_id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    base         text NOT NULL CHECK (base = 'USD'),
    quote        text NOT NULL CHECK (quote = 'INR'),
    rate         numeric(14, 6) NOT NULL CHECK (rate > 0),
    observed_at  timestamptz NOT NULL,
    source       text NOT NULL,
    loaded_by    text NOT NULL,
    loaded_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT fx_rates_once UNIQUE (base, quote, observed_at)
  );
  COMMENT ON COLUMN fx_rates.rate IS 'Spot: units of quote for one of base';

  GRANT SELECT, INSERT, UPDATE (sealed) ON payout_methods TO market_app;
  GRANT SELECT, INSERT, UPDATE (sealed, status, reviewed_at, reviewed_by, review_reason) ON tax_forms TO market_app;
  GRANT SELECT, INSERT ON fx_rates TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE fx_rates; DROP TABLE tax_forms; DROP TABLE payout_methods;');
