/**
 * Transactions and their entries: written once, never changed; corrections are new transactions. A transaction is
 * unique by its business reference (`invocation/<id>/capture`), never by an attempt. All entries of a transaction
 * arrive in one statement and sum to zero, which a statement trigger asserts whoever inserts.
 *
 * Entries of locked accounts carry the balance before and after and the account's version, an unbroken chain.
 * Entries of hot accounts carry none: their credits wait in pending_rollups until `ledger_roll_up` adds them.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE transactions (
    transaction_id  text PRIMARY KEY,
    kind            text NOT NULL CHECK (kind IN
      ('topup', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund', 'dispute_refund')),
    reference       text NOT NULL CONSTRAINT transactions_reference UNIQUE,
    invocation_id   text,
    agent_id        text,
    description     text NOT NULL,
    trace_id        text,
    created_at      timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX transactions_invocation ON transactions (invocation_id) WHERE invocation_id IS NOT NULL;

  CREATE TABLE entries (
    transaction_id        text NOT NULL,
    line                  smallint NOT NULL,
    entry_id              bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id            bigint NOT NULL,
    entry_type            text NOT NULL,
    amount_units          bigint NOT NULL CHECK (amount_units <> 0),
    balance_before_units  bigint,
    balance_after_units   bigint,
    account_version       bigint,
    created_at            timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (transaction_id, line),
    CONSTRAINT entries_chain CHECK (
      num_nulls(balance_before_units, balance_after_units, account_version) IN (0, 3)
      AND balance_after_units = balance_before_units + amount_units
      AND balance_before_units >= 0 AND balance_after_units >= 0)
  );
  CREATE UNIQUE INDEX entries_chain ON entries (account_id, account_version) WHERE account_version IS NOT NULL;
  CREATE INDEX entries_account ON entries (account_id, entry_id) INCLUDE (amount_units);

  CREATE TABLE pending_rollups (
    rollup_id     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    account_id    bigint NOT NULL,
    amount_units  bigint NOT NULL CHECK (amount_units <> 0)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
  CREATE INDEX pending_rollups_account ON pending_rollups (account_id) INCLUDE (amount_units);

  CREATE VIEW account_balances AS
    SELECT a.account_id, a.user_id, a.kind, a.version, a.updated_at,
           a.balance_units + CASE WHEN a.hot THEN
             (SELECT coalesce(sum(p.amount_units), 0)::bigint FROM pending_rollups p WHERE p.account_id = a.account_id)
           ELSE 0 END AS balance_units
    FROM accounts a;
  COMMENT ON VIEW account_balances IS 'Every account with what it really holds: stored and not yet rolled up';

  CREATE FUNCTION ledger_assert_entries() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE bad text;
  BEGIN
    SELECT e.transaction_id INTO bad FROM new_entries e GROUP BY e.transaction_id HAVING sum(e.amount_units) <> 0 LIMIT 1;
    IF bad IS NOT NULL THEN
      RAISE EXCEPTION 'the entries of % do not sum to zero', bad USING ERRCODE = '23514';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER entries_sum_to_zero AFTER INSERT ON entries REFERENCING NEW TABLE AS new_entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_assert_entries();
  CREATE TRIGGER transactions_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  CREATE TRIGGER entries_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  GRANT SELECT ON transactions, entries, pending_rollups, account_balances TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP VIEW account_balances;
  DROP TABLE pending_rollups; DROP TABLE entries; DROP TABLE transactions;
  DROP FUNCTION ledger_assert_entries;
`);
