-- Months of money that were detached (docs/ledger.md, "Archives"; ADR 0143): what is over for good, written once. A
-- month moves here as it is, from the tables that calls write. Reads that concern old calls use the views `all_…`,
-- which add what was detached.

-- migrate:up

CREATE SCHEMA archive;
-- The CHECKs are added below, as NOT VALID as those of the tables (0002).
CREATE TABLE archive.transactions (LIKE transactions INCLUDING ALL EXCLUDING CONSTRAINTS) PARTITION BY RANGE (transaction_id);
CREATE TABLE archive.entries (LIKE entries INCLUDING ALL EXCLUDING CONSTRAINTS EXCLUDING IDENTITY EXCLUDING INDEXES)
  PARTITION BY RANGE (transaction_id);
CREATE INDEX ON archive.entries (account_id, entry_id) INCLUDE (amount_units);
CREATE INDEX entries_transaction ON archive.entries USING brin (transaction_id) WITH (pages_per_range = 32);
CREATE TABLE archive.holds (LIKE holds INCLUDING ALL EXCLUDING CONSTRAINTS) PARTITION BY RANGE (invocation_id);
CREATE TABLE archive.earnings (LIKE earnings INCLUDING ALL EXCLUDING CONSTRAINTS) PARTITION BY RANGE (invocation_id);
CREATE TABLE archive.invocations (LIKE invocations INCLUDING ALL EXCLUDING CONSTRAINTS) PARTITION BY RANGE (invocation_id);

CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.transactions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.holds
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.earnings
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.invocations
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

ALTER TABLE archive.transactions ADD CONSTRAINT transactions_kind_check CHECK (ledger_check_transaction(kind)) NOT VALID;
ALTER TABLE archive.entries ADD CONSTRAINT entries_chain
  CHECK (ledger_check_entry(amount_units, balance_before_units, balance_after_units, account_version)) NOT VALID;
ALTER TABLE archive.holds ADD CONSTRAINT holds_rules
  CHECK (ledger_check_hold(invocation_id, amount_units, state, captured_units, resolved_at)) NOT VALID;
ALTER TABLE archive.earnings ADD CONSTRAINT earnings_split
  CHECK (ledger_check_lot(gross_units, net_units, fee_units, fee_percent, recovered_units)) NOT VALID;
ALTER TABLE archive.invocations ADD CONSTRAINT invocations_rules
  CHECK (invocation_check(invocation_id, surface, status, price_units, free, free_month, idempotency_key, input_bytes,
    output_bytes, truncated_by, charged_units, settled_at)) NOT VALID;

CREATE VIEW all_transactions AS SELECT * FROM transactions UNION ALL SELECT * FROM archive.transactions;
CREATE VIEW all_entries AS SELECT * FROM entries UNION ALL SELECT * FROM archive.entries;
CREATE VIEW all_holds AS SELECT * FROM holds UNION ALL SELECT * FROM archive.holds;
CREATE VIEW all_earnings AS SELECT * FROM earnings UNION ALL SELECT * FROM archive.earnings;
CREATE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;

-- Each detached month with the file that was verified before.
CREATE TABLE detached_months (
  month        date PRIMARY KEY,
  file_sha256  text NOT NULL CHECK (file_sha256 ~ '^[0-9a-f]{64}$'),
  detached_at  timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER detached_months_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON detached_months
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

GRANT SELECT ON all_transactions, all_entries, all_holds, all_earnings, all_invocations, detached_months TO market_app;

-- migrate:down

DROP TABLE detached_months;
DROP VIEW all_transactions, all_entries, all_holds, all_earnings, all_invocations;
DROP SCHEMA archive CASCADE;
