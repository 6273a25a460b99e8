-- The sums of closed months for statements (ADR 0370). A month is written once, a day after its end, when the first
-- statement of it is read.

-- migrate:up

CREATE TABLE account_months (
  user_id        text NOT NULL REFERENCES users,
  month          text NOT NULL CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  opening_units  bigint NOT NULL CHECK (opening_units >= 0),
  sums           jsonb NOT NULL,
  PRIMARY KEY (user_id, month)
);
COMMENT ON TABLE account_months IS 'What the wallet and the escrow of an account held at the begin of a closed month, and the sums of its movements';
COMMENT ON COLUMN account_months.sums IS 'By entry type: units and number of entries';
CREATE TRIGGER account_months_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON account_months
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON account_months TO market_app;

-- migrate:down

DROP TABLE account_months;
