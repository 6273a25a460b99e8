-- The ledger (docs/ledger.md): accounts, transactions and entries, holds, and the lots of earnings.
--
-- Transactions and entries are written once; a correction is a new transaction. A transaction is unique by its
-- business reference (`invocation/<id>/capture`), never by an attempt. Only the functions of
-- migrations/functions/ledger move money; the app role may read, and never INSERT, UPDATE or DELETE here.
--
-- transactions, entries, holds and earnings are partitioned by month (ADR 0062): their ids are UUIDv7, so a month is a
-- range of ids. The partitions are in the schema `months`, where only the owner may go; the default partition catches
-- what no month covers. What is unique over all months is in a narrow table: transaction_references.
--
-- The CHECKs of tables that every call writes are one call of a function each (docs/internals/statements.md#checks).
-- They are NOT VALID, so that the planner does not read those of each partition for each statement; they hold for every
-- row all the same. Postgres locks a row, and writes a record of it, before a BEFORE trigger sees its update, so guards
-- of updates are AFTER triggers (docs/internals/statements.md#what-a-call-writes).
--
-- There are no foreign keys to accounts, users, agents and versions (ADR 0006): such a key locks the referenced row
-- for every insert, and every call of a popular agent would queue for one row. `npm run ledger:check` proves what the
-- keys would have.

-- migrate:up

-- Five accounts per user, opened when the user row appears, with neighbouring ids; five of the platform, with fixed
-- ids. `hot` accounts take credits without a row lock: their balance is balance_units plus what waits in
-- pending_rollups.
CREATE TABLE accounts (
  account_id     bigint PRIMARY KEY,
  user_id        text,
  kind           text NOT NULL,
  balance_units  bigint NOT NULL DEFAULT 0,
  version        bigint NOT NULL DEFAULT 0,
  hot            boolean NOT NULL GENERATED ALWAYS AS
    (kind IN ('payable', 'cash', 'topup_clearing', 'payout_clearing', 'fees', 'platform')) STORED,
  updated_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT accounts_one_per_kind UNIQUE NULLS NOT DISTINCT (user_id, kind)
) WITH (fillfactor = 50);
COMMENT ON COLUMN accounts.balance_units IS '1/100 credit; of a hot account without what waits in pending_rollups';
COMMENT ON COLUMN accounts.version IS 'Number of entries, for accounts that are not hot';
INSERT INTO accounts (account_id, kind) VALUES
  (1, 'cash'), (2, 'topup_clearing'), (3, 'payout_clearing'), (4, 'fees'), (5, 'platform');
CREATE SEQUENCE account_blocks START 10;
ALTER TABLE accounts ADD CONSTRAINT accounts_not_negative CHECK (ledger_check_account(kind, balance_units)) NOT VALID;
CREATE TRIGGER accounts_guard_new BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
CREATE TRIGGER accounts_guard AFTER UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
CREATE TRIGGER accounts_guard_deletion BEFORE DELETE ON accounts
  FOR EACH ROW EXECUTE FUNCTION ledger_guard_deletion();
CREATE TRIGGER accounts_never_truncated BEFORE TRUNCATE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE SCHEMA months;
CREATE TABLE transactions (
  transaction_id  text PRIMARY KEY,
  kind            text NOT NULL,
  reference       text NOT NULL,
  invocation_id   text,
  agent_id        text,
  account_ids     bigint[],
  first_entry_id  bigint,
  last_entry_id   bigint,
  description     text NOT NULL,
  trace_id        text,
  created_at      timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (transaction_id);
COMMENT ON COLUMN transactions.account_ids IS 'The account of each of its entries; null in transactions of earlier releases';
CREATE TRIGGER transactions_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER transactions_reference AFTER INSERT ON transactions FOR EACH ROW
  WHEN (NEW.reference NOT LIKE 'invocation/%' OR NEW.reference LIKE '%/clawback')
  EXECUTE FUNCTION ledger_note_reference();
SELECT partition_setup('transactions');
ALTER TABLE transactions ADD CONSTRAINT transactions_kind_check CHECK (ledger_check_transaction(kind)) NOT VALID;

CREATE TABLE transaction_references (
  reference       text CONSTRAINT transactions_reference PRIMARY KEY,
  transaction_id  text NOT NULL
);
COMMENT ON TABLE transaction_references IS
  'The business reference of each transaction, unique over all months; those of the steps of a call are in its hold';
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
  amount_units          bigint NOT NULL,
  balance_before_units  bigint,
  balance_after_units   bigint,
  account_version       bigint,
  created_at            timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (transaction_id);
-- A transaction names the accounts and the range of ids of its entries, so ledger_lines finds them by the index of
-- their accounts (docs/internals/statements.md#what-a-call-writes). Ranges of transactions, such as a day, are found by
-- the index of block ranges. The lock on the account, which gives the version, keeps (account_id, account_version)
-- unique.
CREATE INDEX entries_account ON entries (account_id, entry_id) INCLUDE (amount_units);
CREATE INDEX entries_transaction ON entries USING brin (transaction_id) WITH (pages_per_range = 32, autosummarize = on);
CREATE TRIGGER entries_sum_to_zero AFTER INSERT ON entries REFERENCING NEW TABLE AS new_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_assert_entries();
CREATE TRIGGER entries_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
SELECT partition_setup('entries');
ALTER TABLE entries ADD CONSTRAINT entries_chain
  CHECK (ledger_check_entry(amount_units, balance_before_units, balance_after_units, account_version)) NOT VALID;

-- Credits of hot accounts that ledger_roll_up has not added to the balance yet. A capture waits as one row: the net,
-- the fee, the day on which the lot matures, and its call in the usage of the agent
-- (docs/internals/statements.md#what-a-call-writes).
CREATE TABLE pending_rollups (
  account_id    bigint NOT NULL,
  amount_units  bigint NOT NULL CHECK (amount_units <> 0),
  fee_units     bigint NOT NULL DEFAULT 0,
  matures_on    date,
  agent_id      text,
  called_on     date,
  duration_ms   integer
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON COLUMN pending_rollups.fee_units IS 'What the same capture gives to the account of fees (4)';
COMMENT ON COLUMN pending_rollups.matures_on IS
  'Of a capture: the UTC day on which its lot matures; the lot is counted by this row until it is in earning_deltas';
COMMENT ON COLUMN pending_rollups.agent_id IS
  'Of the capture of a call: the agent; the call is counted by this row until it is in usage_deltas';
COMMENT ON COLUMN pending_rollups.called_on IS 'The UTC day on which that call was accepted';
CREATE INDEX pending_rollups_account ON pending_rollups (account_id) INCLUDE (amount_units);

CREATE VIEW account_balances AS
  SELECT a.account_id, a.user_id, a.kind, a.version, a.updated_at,
         a.balance_units + CASE WHEN a.hot THEN
           (SELECT coalesce(sum(p.amount_units), 0)::bigint FROM pending_rollups p WHERE p.account_id = a.account_id)
         ELSE 0 END + CASE a.account_id WHEN 4 THEN
           (SELECT coalesce(sum(p.fee_units), 0)::bigint FROM pending_rollups p)
         ELSE 0 END AS balance_units
  FROM accounts a;
COMMENT ON VIEW account_balances IS 'Every account with what it really holds: stored and not yet rolled up';

-- open → captured | voided | disputed, once; only an open hold moves its lease and its marks.
CREATE TABLE holds (
  invocation_id        text PRIMARY KEY,
  buyer_user_id        text NOT NULL,
  developer_user_id    text NOT NULL,
  agent_id             text NOT NULL,
  version_id           text NOT NULL,
  amount_units         bigint NOT NULL,
  state                text NOT NULL DEFAULT 'open',
  captured_units       bigint,
  forwarded_at         timestamptz,
  forward_count        integer NOT NULL DEFAULT 0,
  delivered_at         timestamptz,
  lease_until          timestamptz NOT NULL,
  hold_transaction_id  text,
  end_transaction_id   text,
  trace_id             text,
  created_at           timestamptz NOT NULL DEFAULT now(),
  resolved_at          timestamptz
) PARTITION BY RANGE (invocation_id);
COMMENT ON COLUMN holds.delivered_at IS
  'When the first piece of a streamed answer was about to be handed to the buyer; null before';
COMMENT ON COLUMN holds.hold_transaction_id IS
  'The transaction invocation/<id>/hold; null for a hold of 0, and for holds that transaction_references names';
COMMENT ON COLUMN holds.end_transaction_id IS
  'The transaction invocation/<id>/capture or /void; null as hold_transaction_id is, and while the hold is open';
CREATE INDEX holds_open_buyer ON holds (buyer_user_id, invocation_id) WHERE state = 'open';
CREATE INDEX holds_open_agent ON holds (agent_id, invocation_id) WHERE state = 'open';
CREATE TRIGGER holds_guard AFTER UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION ledger_guard_hold();
CREATE TRIGGER holds_never_deleted BEFORE DELETE OR TRUNCATE ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
SELECT partition_setup('holds');
ALTER TABLE holds ADD CONSTRAINT holds_rules
  CHECK (ledger_check_hold(invocation_id, amount_units, state, captured_units, resolved_at)) NOT VALID;

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
  created_at         timestamptz NOT NULL DEFAULT now()
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
ALTER TABLE earnings ADD CONSTRAINT earnings_split
  CHECK (ledger_check_lot(gross_units, net_units, fee_units, fee_percent, recovered_units)) NOT VALID;

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

-- migrate:down

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
