/** The ledger checks that were run with `market ledger check`, for metrics and alerts. Rows are written once. */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE ledger_checks (
    checked_at  timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
    is_full     boolean NOT NULL,
    failed      text[] NOT NULL
  );
  COMMENT ON COLUMN ledger_checks.failed IS 'Names of the proofs that failed; empty: the ledger is consistent';
  CREATE TRIGGER ledger_checks_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_checks
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  GRANT SELECT, INSERT ON ledger_checks TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE ledger_checks;');
