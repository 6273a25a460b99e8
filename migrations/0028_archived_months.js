/**
 * Months of money that were detached (docs/ledger.md, "Archives"; ADR 0143): what is over for good, written once. A month
 * moves here as it is, from the tables that calls write. Reads that concern old calls use the views `all_…`, which add what
 * was detached.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE SCHEMA archive;
  CREATE TABLE archive.transactions (LIKE transactions INCLUDING ALL) PARTITION BY RANGE (transaction_id);
  CREATE TABLE archive.entries (LIKE entries INCLUDING ALL EXCLUDING IDENTITY) PARTITION BY RANGE (transaction_id);
  CREATE TABLE archive.holds (LIKE holds INCLUDING ALL) PARTITION BY RANGE (invocation_id);
  CREATE TABLE archive.earnings (LIKE earnings INCLUDING ALL) PARTITION BY RANGE (invocation_id);
  CREATE TABLE archive.invocations (LIKE invocations INCLUDING ALL) PARTITION BY RANGE (invocation_id);

${['transactions', 'entries', 'holds', 'earnings', 'invocations']
  .map(
    (table) => `  CREATE TRIGGER archived BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archive.${table}
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();`,
  )
  .join('\n')}

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
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE detached_months;
  DROP VIEW all_transactions, all_entries, all_holds, all_earnings, all_invocations;
  DROP SCHEMA archive CASCADE;
`);
