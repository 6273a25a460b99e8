/**
 * The ledger (docs/ledger.md): accounts, transactions and entries, holds, and the lots of earnings.
 *
 * Transactions and entries are written once; a correction is a new transaction. A transaction is unique by its
 * business reference (`invocation/<id>/capture`), never by an attempt. Only the functions of
 * migrations/functions/ledger move money; the app role may read, and never INSERT, UPDATE or DELETE here.
 *
 * transactions, entries, holds and earnings are partitioned by month (ADR 0062): their ids are UUIDv7, so a month is a
 * range of ids. The partitions are in the schema `months`, where only the owner may go; the default partition catches
 * what no month covers. What is unique over all months is in a narrow table: transaction_references.
 *
 * There are no foreign keys to accounts, users, agents and versions (ADR 0006): such a key locks the referenced row
 * for every insert, and every call of a popular agent would queue for one row. `npm run ledger:check` proves what the
 * keys would have.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Five accounts per user, opened when the user row appears, with neighbouring ids; five of the platform, with fixed
  -- ids. \`hot\` accounts take credits without a row lock: their balance is balance_units plus what waits in
  -- pending_rollups.
  CREATE TABLE accounts (
    account_id     bigint PRIMARY KEY,
    user_id        text REFERENCES users,
    kind           text NOT NULL,
    balance_units  bigint NOT NULL DEFAULT 0,
    version        bigint NOT NULL DEFAULT 0,
    hot            boolean NOT NULL GENERATED ALWAYS AS
      (kind IN ('payable', 'cash', 'topup_clearing', 'payout_clearing', 'fees', 'platform')) STORED,
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT accounts_one_per_kind UNIQUE NULLS NOT DISTINCT (user_id, kind),
    CONSTRAINT accounts_not_negative CHECK (balance_units >= 0 OR kind IN ('cash', 'platform'))
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN accounts.balance_units IS '1/100 credit; of a hot account without what waits in pending_rollups';
  COMMENT ON COLUMN accounts.version IS 'Number of entries, for accounts that are not hot';
  INSERT INTO accounts (account_id, kind) VALUES
    (1, 'cash'), (2, 'topup_clearing'), (3, 'payout_clearing'), (4, 'fees'), (5, 'platform');
  CREATE SEQUENCE account_blocks START 10;
  CREATE TRIGGER accounts_guard BEFORE INSERT OR UPDATE ON accounts
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
  CREATE TRIGGER accounts_guard_deletion BEFORE DELETE ON accounts
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_deletion();
  CREATE TRIGGER accounts_never_truncated BEFORE TRUNCATE ON accounts
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  CREATE SCHEMA months;
  CREATE TABLE transactions (
    transaction_id  text PRIMARY KEY,
    kind            text NOT NULL CHECK (kind IN
      ('topup', 'topup_reversal', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund',
       'dispute_refund', 'bond_deposit', 'bond_release', 'slash', 'slash_return', 'slash_refund', 'payout')),
    reference       text NOT NULL,
    invocation_id   text,
    agent_id        text,
    description     text NOT NULL,
    trace_id        text,
    created_at      timestamptz NOT NULL DEFAULT now()
  ) PARTITION BY RANGE (transaction_id);
  CREATE TRIGGER transactions_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  CREATE TRIGGER transactions_reference AFTER INSERT ON transactions
    FOR EACH ROW EXECUTE FUNCTION ledger_note_reference();
  SELECT partition_setup('transactions');

  CREATE TABLE transaction_references (
    reference       text CONSTRAINT transactions_reference PRIMARY KEY,
    transaction_id  text NOT NULL
  );
  COMMENT ON TABLE transaction_references IS 'The business reference of each transaction, unique over all months';
  CREATE TRIGGER transaction_references_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON transaction_references
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  -- All entries of a transaction arrive in one statement and sum to zero. Entries of locked accounts carry the
  -- balance before and after and the account's version, an unbroken chain. Entries of hot accounts carry none of the
  -- three.
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
  ) PARTITION BY RANGE (transaction_id);
  -- (account_id, account_version) is unique in each partition (partition_finish); the lock on the account, which gives
  -- the version, keeps it unique over all of them.
  CREATE INDEX entries_account ON entries (account_id, entry_id) INCLUDE (amount_units);
  CREATE TRIGGER entries_sum_to_zero AFTER INSERT ON entries REFERENCING NEW TABLE AS new_entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_assert_entries();
  CREATE TRIGGER entries_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  SELECT partition_setup('entries');

  -- Credits of hot accounts that ledger_roll_up has not added to the balance yet.
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

  -- open → captured | voided | disputed, once; only an open hold moves its lease and its marks.
  CREATE TABLE holds (
    invocation_id      text PRIMARY KEY CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
    buyer_user_id      text NOT NULL,
    developer_user_id  text NOT NULL,
    agent_id           text NOT NULL,
    version_id         text NOT NULL,
    amount_units       bigint NOT NULL,
    state              text NOT NULL DEFAULT 'open',
    captured_units     bigint,
    forwarded_at       timestamptz,
    forward_count      integer NOT NULL DEFAULT 0,
    delivered_at       timestamptz,
    lease_until        timestamptz NOT NULL,
    trace_id           text,
    created_at         timestamptz NOT NULL DEFAULT now(),
    resolved_at        timestamptz,
    CONSTRAINT holds_state CHECK (state IN ('open', 'captured', 'voided', 'disputed')),
    CONSTRAINT holds_whole_credits CHECK (amount_units >= 0 AND amount_units % 100 = 0),
    CONSTRAINT holds_one_resolution CHECK ((state = 'open') = (resolved_at IS NULL)),
    CONSTRAINT holds_capture CHECK (
      (state = 'captured') = (captured_units IS NOT NULL)
      AND captured_units BETWEEN 0 AND amount_units AND captured_units % 100 = 0)
  ) PARTITION BY RANGE (invocation_id);
  COMMENT ON COLUMN holds.delivered_at IS
    'When the first piece of a streamed answer was about to be handed to the buyer; null before';
  CREATE INDEX holds_open_lease ON holds (lease_until) WHERE state = 'open';
  CREATE INDEX holds_open_buyer ON holds (buyer_user_id, invocation_id) WHERE state = 'open';
  CREATE INDEX holds_open_agent ON holds (agent_id, invocation_id) WHERE state = 'open';
  CREATE TRIGGER holds_guard BEFORE UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION ledger_guard_hold();
  CREATE TRIGGER holds_never_deleted BEFORE DELETE OR TRUNCATE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  SELECT partition_setup('holds');

  -- A lot: the developer's net of one captured call. payable = Σ over lots outside payouts of (net − recovered) +
  -- carries.
  CREATE TABLE earnings (
    invocation_id      text PRIMARY KEY,
    developer_user_id  text NOT NULL,
    agent_id           text NOT NULL,
    gross_units        bigint NOT NULL,
    fee_units          bigint NOT NULL,
    fee_percent        smallint NOT NULL,
    net_units          bigint NOT NULL,
    recovered_units    bigint NOT NULL DEFAULT 0,
    matures_at         timestamptz NOT NULL,
    dispute_open       boolean NOT NULL DEFAULT false,
    clawed_back_at     timestamptz,
    late               boolean NOT NULL DEFAULT false,
    payout_id          text,
    created_at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT earnings_split CHECK (gross_units > 0 AND gross_units = net_units + fee_units
      AND fee_units * 100 = gross_units * fee_percent),
    CONSTRAINT earnings_recovered CHECK (recovered_units BETWEEN 0 AND net_units)
  ) PARTITION BY RANGE (invocation_id);
  COMMENT ON COLUMN earnings.late IS
    'Unpaid, and to be found by earnings_late: a cursor of payouts is past it or soon will be';
  COMMENT ON COLUMN earnings.fee_percent IS 'That of the version that was called (agent_versions.fee_percent)';
  COMMENT ON COLUMN earnings.recovered_units IS 'What clawbacks took of this lot: its own first, then others';
  -- No index names payout_id, so that taking a lot into a payout is a HOT update: it adds no index entry, and a page
  -- has room for a second version of each of its rows. payout_cursors says where the unpaid lots begin.
  CREATE INDEX earnings_developer ON earnings (developer_user_id, matures_at, invocation_id);
  CREATE INDEX earnings_late ON earnings (developer_user_id, matures_at, invocation_id) WHERE late;
  CREATE TRIGGER earnings_guard BEFORE UPDATE ON earnings FOR EACH ROW EXECUTE FUNCTION ledger_guard_lot();
  CREATE TRIGGER earnings_never_deleted BEFORE DELETE OR TRUNCATE ON earnings
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  CREATE TRIGGER earnings_one_payout BEFORE UPDATE ON earnings FOR EACH ROW
    WHEN (OLD.payout_id IS NOT NULL
      AND (NEW.payout_id IS DISTINCT FROM OLD.payout_id OR NEW.recovered_units <> OLD.recovered_units))
    EXECUTE FUNCTION payout_guard_lot();
  SELECT partition_setup('earnings');

  -- What a developer owes after clawbacks that found too little in payable, wallet and bond.
  CREATE TABLE clawback_debts (
    invocation_id      text PRIMARY KEY,
    developer_user_id  text NOT NULL,
    owed_units         bigint NOT NULL CHECK (owed_units > 0),
    repaid_units       bigint NOT NULL DEFAULT 0 CHECK (repaid_units BETWEEN 0 AND owed_units),
    created_at         timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX clawback_debts_developer ON clawback_debts (developer_user_id);

  -- One row per item of a ledger function, in input order. outcome says what happened; transaction_id is the
  -- transaction of that outcome (also of already_…; null when no money moved); amount_units is what was held,
  -- charged, returned or paid; wallet_units the payer's wallet afterwards (null when this call moved nothing).
  CREATE TYPE ledger_result AS (
    ordinality      integer,
    outcome         text,
    transaction_id  text,
    amount_units    bigint,
    wallet_units    bigint
  );

  GRANT SELECT ON accounts, transactions, transaction_references, entries, pending_rollups, account_balances, holds, earnings, clawback_debts
    TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TYPE ledger_result;
  DROP TABLE clawback_debts;
  DROP TABLE earnings;
  DROP TABLE holds;
  DROP VIEW account_balances;
  DROP TABLE pending_rollups;
  DROP TABLE entries;
  DROP TABLE transaction_references;
  DROP TABLE transactions;
  DROP SCHEMA months;
  DROP TABLE accounts;
  DROP SEQUENCE account_blocks;
`);
