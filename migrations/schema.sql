-- The tables of a database that all migrations have run on, by subject: each with its comments, constraints, indexes,
-- triggers, partitions, and the rights of other roles than the owner. The functions are in migrations/functions.
--
-- Written by `npm run schema` from a fresh database, and compared with one by a test. Nothing runs this file; a change of
-- a table is a migration (migrations/README.md).

CREATE SCHEMA archive;
CREATE SCHEMA months;

-- accounts (0001_accounts.sql) --------------------------------------------------------------------------------------

-- An email address belongs to one account, confirmed or not, without regard to case (ADR 0193). A user row opens the
-- five ledger accounts (0002).
CREATE TABLE users (
  user_id               text NOT NULL,
  email                 text NOT NULL,
  password_hash         text NOT NULL,
  display_name          text NOT NULL,
  role                  text NOT NULL,
  developer_id          text,
  registration_paid_at  timestamptz,
  email_confirmed_at    timestamptz,
  authenticator_since   timestamptz,
  created_at            timestamptz NOT NULL DEFAULT now(),
  -- The address that takes the place of email when it is confirmed; null while none is asked for
  pending_email         text,
  -- Days for which inputs and outputs of the calls that the account pays are kept; 0: not at all
  keep_days             smallint NOT NULL DEFAULT 0,
  -- What was kept before this time is erased and cannot be read; null once all of it is deleted
  erase_kept_before     timestamptz,
  -- IANA name of the time zone in which the days, weeks and months of budgets begin
  time_zone             text NOT NULL DEFAULT 'UTC',
  -- payer: the account of a paying address; email is its CAIP-10 id. organisation: email is its id. Neither has a
  -- password
  kind                  text NOT NULL DEFAULT 'person',
  -- When the account was deleted: its address and names are replaced since then
  erased_at             timestamptz,
  -- When the deletion of the account began: it cannot log in since then
  closed_at             timestamptz,
  CONSTRAINT users_pkey PRIMARY KEY (user_id),
  CONSTRAINT users_developer_id_key UNIQUE (developer_id),
  CONSTRAINT users_check CHECK (role <> 'developer' OR developer_id IS NOT NULL),
  CONSTRAINT users_developer_id_check CHECK (developer_id ~ '^dev_[a-z0-9]+(-[a-z0-9]+)*$'),
  CONSTRAINT users_display_name_check CHECK (length(display_name) >= 1 AND length(display_name) <= 80),
  CONSTRAINT users_email_check CHECK (length(email) <= 254),
  CONSTRAINT users_keep_days_check CHECK (keep_days >= 0 AND keep_days <= 90),
  CONSTRAINT users_kind_check CHECK ((kind IN ('person', 'payer', 'organisation')) AND (kind <> 'payer'
    OR role = 'buyer') AND (kind <> 'organisation' OR role <> 'operator')),
  CONSTRAINT users_pending_email_check CHECK (length(pending_email) <= 254),
  CONSTRAINT users_role_check CHECK (role IN ('buyer', 'developer', 'operator')),
  CONSTRAINT users_time_zone_check CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64),
  CONSTRAINT users_user_id_check CHECK (user_id ~ '^(usr|org)_[0-9a-f]{32}$')
);
CREATE INDEX users_developers ON users USING gin (text_grams(developer_text(display_name, developer_id)))
  WHERE (developer_id IS NOT NULL);
CREATE INDEX users_developers_near ON users USING gin (near_words(developer_text(display_name, developer_id)))
  WHERE (developer_id IS NOT NULL);
CREATE UNIQUE INDEX users_email ON users (lower(email));
CREATE INDEX users_erasing ON users (user_id) WHERE (erase_kept_before IS NOT NULL);
CREATE INDEX users_role ON users (role, user_id DESC);
CREATE INDEX users_search ON users USING gin (text_grams(account_text(display_name, email, developer_id)));
CREATE INDEX users_unconfirmed ON users (user_id) WHERE (email_confirmed_at IS NULL);
CREATE TRIGGER open_accounts AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION ledger_open_accounts_of_new_user();
CREATE TRIGGER users_become_organisations BEFORE UPDATE OF kind ON users FOR EACH ROW WHEN (old.kind <> new.kind)
  EXECUTE FUNCTION user_kind_guard();
CREATE TRIGGER users_keep_accounts BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION ledger_guard_owner();
CREATE TRIGGER users_owner_signs AFTER INSERT ON users FOR EACH ROW WHEN (new.kind = 'payer')
  EXECUTE FUNCTION owner_signs_of_payer();
GRANT SELECT, INSERT, UPDATE ON users TO market_app;

-- The table of connect-pg-simple, created here because the app role may not create tables.
CREATE TABLE sessions (
  sid     text NOT NULL,
  sess    json NOT NULL,
  expire  timestamptz NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (sid)
);
CREATE INDEX sessions_expire ON sessions (expire);
CREATE INDEX sessions_provider ON sessions (((sess ->> 'provider'))) WHERE ((sess ->> 'provider') IS NOT NULL);
CREATE INDEX sessions_user ON sessions ((((sess -> 'passport') ->> 'user')));
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO market_app;

-- Counters of requests and failed log-ins, shared by all API processes (contract, "General"). Unlogged, because
-- they are written often and a crash of Postgres may forget them.
CREATE UNLOGGED TABLE rate_limits (
  key             text NOT NULL,
  points          integer NOT NULL,
  window_ends_at  timestamptz NOT NULL,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key),
  CONSTRAINT rate_limits_key_check CHECK (length(key) <= 400),
  CONSTRAINT rate_limits_points_check CHECK (points >= 0)
);
CREATE INDEX rate_limits_end ON rate_limits (window_ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limits TO market_app;

-- API keys (contract, "Accounts, sessions, keys"). A key keeps its id, scopes, cap and spending when it is rotated:
-- it then has another secret. A deleted key keeps its row, because invocations name it; its secrets are deleted.
-- A row of kind oauth belongs to an OAuth grant (0017). It has no secret that X-API-Key could present, and the cap,
-- spending, expiry and deletion of a key.
CREATE TABLE api_keys (
  key_id            text NOT NULL,
  user_id           text NOT NULL,
  kind              text NOT NULL DEFAULT 'key',
  name              text NOT NULL,
  scopes            text[] NOT NULL,
  -- The last four characters of the newest secret, for people to tell keys apart
  hint              text,
  credit_cap_units  bigint,
  -- Charges of calls by this key that were not taken back; kept by api_key_count_spending
  spent_units       bigint NOT NULL DEFAULT 0,
  expires_at        timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  last_used_at      timestamptz,
  deleted_at        timestamptz,
  -- What the credit cap counts: the spending of the lifetime, or of a day, week or month of the account
  cap_window        text NOT NULL DEFAULT 'lifetime',
  -- Beginning of the window that window_units counts; null before the first charge
  window_began_at   timestamptz,
  -- Charges of calls that were accepted in that window and were not taken back; kept by api_key_count_spending
  window_units      bigint NOT NULL DEFAULT 0,
  -- The most that one call may hold
  call_cap_units    bigint,
  -- Only agents with at least this trust score may be called
  least_trust       smallint,
  -- Only these agents may be called
  only_agents       text[],
  -- Agents that are tools of their own at POST /mcp, in the order of the list of tools
  pinned_agents     text[],
  -- End of that window; a change of the time zone applies from then on
  window_ends_at    timestamptz,
  -- The key that made this one: it ends with it, and its limits hold for both
  parent_key_id     text,
  -- The highest percentage of the cap for which a notice was written in its window
  told_percent      smallint NOT NULL DEFAULT 0,
  -- When the notice that the key expires soon was written
  expiry_told_at    timestamptz,
  -- The member who made this key or grant of an organisation; it ends with their membership. Null: it belongs to the
  -- account
  created_by        text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT api_keys_call_cap_units_check CHECK (call_cap_units >= 0),
  CONSTRAINT api_keys_cap_window_check CHECK (cap_window IN ('lifetime', 'day', 'week', 'month')),
  CONSTRAINT api_keys_check1 CHECK ((hint IS NULL) = (kind = 'oauth')),
  CONSTRAINT api_keys_check2 CHECK (kind = 'key' OR expires_at IS NOT NULL),
  CONSTRAINT api_keys_credit_cap_units_check CHECK (credit_cap_units >= 0),
  CONSTRAINT api_keys_hint_check CHECK (length(hint) = 4),
  CONSTRAINT api_keys_key_id_check CHECK (key_id ~ '^key_[0-9a-f]{32}$'),
  CONSTRAINT api_keys_kind_check CHECK (kind IN ('key', 'oauth')),
  CONSTRAINT api_keys_least_trust_check CHECK (least_trust >= 0 AND least_trust <= 100),
  CONSTRAINT api_keys_name_check CHECK (length(name) >= 1 AND length(name) <= 80),
  CONSTRAINT api_keys_only_agents_check CHECK (cardinality(only_agents) >= 1 AND cardinality(only_agents) <= 40),
  CONSTRAINT api_keys_pinned_agents_check CHECK (cardinality(pinned_agents) >= 1
    AND cardinality(pinned_agents) <= 40),
  CONSTRAINT api_keys_pins_may_be_called CHECK (pinned_agents <@ only_agents),
  CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0),
  CONSTRAINT api_keys_spent_units_check CHECK (spent_units >= 0),
  CONSTRAINT api_keys_spent_within_cap CHECK (cap_window <> 'lifetime' OR spent_units <= credit_cap_units),
  CONSTRAINT api_keys_told_percent_check CHECK (told_percent IN (0, 80, 100)),
  CONSTRAINT api_keys_window_is_whole CHECK ((window_began_at IS NULL) = (window_ends_at IS NULL)),
  CONSTRAINT api_keys_window_units_check CHECK (window_units >= 0),
  CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(user_id),
  CONSTRAINT api_keys_parent_key_id_fkey FOREIGN KEY (parent_key_id) REFERENCES api_keys(key_id),
  CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
) WITH (fillfactor = 70);
CREATE INDEX api_keys_children ON api_keys (parent_key_id, key_id) WHERE (parent_key_id IS NOT NULL);
CREATE INDEX api_keys_ended_grants ON api_keys (expires_at) WHERE ((kind = 'oauth') AND (deleted_at IS NULL));
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE ((kind = 'key') AND (deleted_at IS NULL)
  AND (expiry_told_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX api_keys_hint ON api_keys (hint) WHERE (hint IS NOT NULL);
CREATE INDEX api_keys_of_member ON api_keys (created_by, user_id) WHERE ((created_by IS NOT NULL)
  AND (deleted_at IS NULL));
CREATE INDEX api_keys_user ON api_keys (user_id, kind, key_id DESC) WHERE (deleted_at IS NULL);
CREATE TRIGGER api_keys_notice AFTER INSERT ON api_keys FOR EACH ROW WHEN (new.parent_key_id IS NULL)
  EXECUTE FUNCTION api_key_noted();
CREATE TRIGGER api_keys_other_window BEFORE UPDATE OF cap_window ON api_keys FOR EACH ROW
  WHEN (new.cap_window <> old.cap_window) EXECUTE FUNCTION api_key_begin_window();
GRANT SELECT, INSERT (key_id, user_id, kind, name, scopes, hint, credit_cap_units, expires_at, cap_window,
  call_cap_units, least_trust, only_agents, pinned_agents, parent_key_id, created_by), UPDATE (hint,
  credit_cap_units, expires_at, last_used_at, deleted_at, cap_window, call_cap_units, least_trust, only_agents,
  pinned_agents) ON api_keys TO market_app;

-- The SHA-256 of each secret that is valid now. Every request looks its key up here by primary key, so that a key
-- ends for every process at the moment when its row is deleted.
CREATE TABLE api_key_secrets (
  sha256   bytea NOT NULL,
  key_id   text NOT NULL,
  -- Set when the key was rotated: the end of the grace
  ends_at  timestamptz,
  CONSTRAINT api_key_secrets_pkey PRIMARY KEY (sha256),
  CONSTRAINT api_key_secrets_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT api_key_secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id)
);
CREATE INDEX api_key_secrets_key ON api_key_secrets (key_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON api_key_secrets TO market_app;

-- The outbox of mails (ADR 0077). One row for each recipient and kind: requests that come before the mail is sent, or
-- shortly after one, become one mail. A row contains no token; the sender creates it.
CREATE TABLE mails (
  -- User id; for a password reset the address that was asked for
  recipient     text NOT NULL,
  kind          text NOT NULL,
  -- What the mail is about, such as the id of a webhook
  subject       text NOT NULL DEFAULT '',
  times         integer NOT NULL DEFAULT 1,
  changes       bigint NOT NULL DEFAULT 1,
  requested_at  timestamptz NOT NULL DEFAULT now(),
  -- When the next attempt is due; null if nothing is to be sent
  due_at        timestamptz,
  attempts      integer NOT NULL DEFAULT 0,
  sent_at       timestamptz,
  CONSTRAINT mails_pkey PRIMARY KEY (recipient, kind),
  CONSTRAINT mails_kind_check CHECK (length(kind) <= 40),
  CONSTRAINT mails_recipient_check CHECK (length(recipient) <= 254),
  CONSTRAINT mails_subject_check CHECK (length(subject) <= 200)
);
CREATE INDEX mails_due ON mails (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX mails_sent ON mails (sent_at) WHERE (due_at IS NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO market_app;

-- Tokens that mails contain, by their SHA-256. Used once, or until they expire.
CREATE TABLE mail_tokens (
  sha256      bytea NOT NULL,
  user_id     text NOT NULL,
  purpose     text NOT NULL,
  expires_at  timestamptz NOT NULL,
  -- The address that the token was sent to; null for a token that no mail has
  email       text,
  CONSTRAINT mail_tokens_pkey PRIMARY KEY (sha256),
  CONSTRAINT mail_tokens_email_check CHECK (length(email) <= 254),
  CONSTRAINT mail_tokens_purpose_check CHECK (purpose IN ('confirm_email', 'change_email', 'reset_password',
    'log_in', 'delete_account')),
  CONSTRAINT mail_tokens_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT mail_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX mail_tokens_expiry ON mail_tokens (expires_at);
CREATE INDEX mail_tokens_user ON mail_tokens (user_id, purpose);
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_tokens TO market_app;

-- Authenticator apps (TOTP, RFC 6238). last_step: the time step of the newest code that was used, so that no code is
-- used twice.
CREATE TABLE authenticators (
  user_id     text NOT NULL,
  -- The secret, encrypted; users.authenticator_since says whether it is in use
  sealed      bytea NOT NULL,
  last_step   bigint NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT authenticators_pkey PRIMARY KEY (user_id),
  CONSTRAINT authenticators_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON authenticators TO market_app;

CREATE TABLE recovery_codes (
  sha256   bytea NOT NULL,
  user_id  text NOT NULL,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (sha256),
  CONSTRAINT recovery_codes_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON recovery_codes TO market_app;

-- ledger (0002_ledger.sql) ------------------------------------------------------------------------------------------

-- Five accounts per user, opened when the user row appears, with neighbouring ids; five of the platform, with fixed
-- ids. `hot` accounts take credits without a row lock: their balance is balance_units plus what waits in
-- pending_rollups.
CREATE TABLE accounts (
  account_id     bigint NOT NULL,
  user_id        text,
  kind           text NOT NULL,
  -- 1/100 credit; of a hot account without what waits in pending_rollups
  balance_units  bigint NOT NULL DEFAULT 0,
  -- Number of entries, for accounts that are not hot
  version        bigint NOT NULL DEFAULT 0,
  hot            boolean NOT NULL GENERATED ALWAYS AS (kind IN ('payable', 'cash', 'topup_clearing',
    'payout_clearing', 'fees', 'platform')) STORED,
  updated_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id),
  CONSTRAINT accounts_one_per_kind UNIQUE NULLS NOT DISTINCT (user_id, kind),
  CONSTRAINT accounts_not_negative CHECK (ledger_check_account(kind, balance_units)) NOT VALID
) WITH (fillfactor = 50);
CREATE TRIGGER accounts_guard AFTER UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
CREATE TRIGGER accounts_guard_deletion BEFORE DELETE ON accounts FOR EACH ROW
  EXECUTE FUNCTION ledger_guard_deletion();
CREATE TRIGGER accounts_guard_new BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
CREATE TRIGGER accounts_never_truncated BEFORE TRUNCATE ON accounts FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON accounts TO market_app;

CREATE SEQUENCE account_blocks MINVALUE 1 START 10;

CREATE TABLE transactions (
  transaction_id  text NOT NULL,
  kind            text NOT NULL,
  reference       text NOT NULL,
  invocation_id   text,
  agent_id        text,
  -- The account of each of its entries; null in transactions of earlier releases
  account_ids     bigint[],
  first_entry_id  bigint,
  last_entry_id   bigint,
  description     text NOT NULL,
  trace_id        text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT transactions_pkey PRIMARY KEY (transaction_id),
  CONSTRAINT transactions_kind_check CHECK (ledger_check_transaction(kind)) NOT VALID
) PARTITION BY RANGE (transaction_id);
-- Partitions: months.transactions_<yyyy>_<mm> for each month, and months.transactions_default for all other ids, each
-- WITH (fillfactor = 100), and besides:
--   CREATE TRIGGER transactions_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON each FOR EACH STATEMENT
--       EXECUTE FUNCTION ledger_refuse_change()
CREATE TRIGGER transactions_reference AFTER INSERT ON transactions FOR EACH ROW
  WHEN (new.reference NOT LIKE 'invocation/%' OR new.reference LIKE '%/clawback')
  EXECUTE FUNCTION ledger_note_reference();
CREATE TRIGGER transactions_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON transactions FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON transactions TO market_app;

-- The business reference of each transaction, unique over all months; those of the steps of a call are in its hold
CREATE TABLE transaction_references (
  reference       text NOT NULL,
  transaction_id  text NOT NULL,
  CONSTRAINT transactions_reference PRIMARY KEY (reference)
);
CREATE TRIGGER transaction_references_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON transaction_references
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON transaction_references TO market_app;

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
  created_at            timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT entries_chain CHECK (ledger_check_entry(amount_units, balance_before_units, balance_after_units,
    account_version)) NOT VALID
) PARTITION BY RANGE (transaction_id);
-- Partitions: months.entries_<yyyy>_<mm> for each month, and months.entries_default for all other ids, each WITH
-- (fillfactor = 100), and besides:
--   CREATE TRIGGER entries_sum_to_zero AFTER INSERT ON each REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT
--       EXECUTE FUNCTION ledger_assert_entries()
--   CREATE TRIGGER entries_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON each FOR EACH STATEMENT
--       EXECUTE FUNCTION ledger_refuse_change()
CREATE INDEX entries_account ON entries (account_id, entry_id) INCLUDE (amount_units);
CREATE INDEX entries_transaction ON entries USING brin (transaction_id) WITH (pages_per_range='32',
  autosummarize='on');
CREATE TRIGGER entries_sum_to_zero AFTER INSERT ON entries REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_assert_entries();
CREATE TRIGGER entries_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON entries FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON entries TO market_app;

-- Credits of hot accounts that ledger_roll_up has not added to the balance yet. A capture waits as one row: the net,
-- the fee, the day on which the lot matures, and its call in the usage of the agent
-- (docs/internals/statements.md#what-a-call-writes).
CREATE TABLE pending_rollups (
  account_id    bigint NOT NULL,
  amount_units  bigint NOT NULL,
  -- What the same capture gives to the account of fees (4)
  fee_units     bigint NOT NULL DEFAULT 0,
  -- Of a capture: the UTC day on which its lot matures; the lot is counted by this row until it is in earning_deltas
  matures_on    date,
  -- Of the capture of a call: the agent; the call is counted by this row until it is in usage_deltas
  agent_id      text,
  -- The UTC day on which that call was accepted
  called_on     date,
  duration_ms   integer,
  -- Of the capture of a call: its agent had accepted it as a job
  is_job        boolean NOT NULL DEFAULT false,
  CONSTRAINT pending_rollups_amount_units_check CHECK (amount_units <> 0)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX pending_rollups_account ON pending_rollups (account_id) INCLUDE (amount_units);
GRANT SELECT ON pending_rollups TO market_app;

-- Every account with what it really holds: stored and not yet rolled up
CREATE VIEW account_balances AS
  SELECT account_id, user_id, kind, version, updated_at, balance_units +
         CASE
             WHEN hot THEN ( SELECT COALESCE(sum(p.amount_units), 0::numeric)::bigint AS "coalesce"
                FROM pending_rollups p
               WHERE p.account_id = a.account_id)
             ELSE 0::bigint
         END +
         CASE account_id
             WHEN 4 THEN ( SELECT COALESCE(sum(p.fee_units), 0::numeric)::bigint AS "coalesce"
                FROM pending_rollups p)
             ELSE 0::bigint
         END AS balance_units
    FROM accounts a;
GRANT SELECT ON account_balances TO market_app;

-- open → captured | voided | disputed, once; only an open hold moves its lease and its marks.
CREATE TABLE holds (
  invocation_id        text NOT NULL,
  buyer_user_id        text NOT NULL,
  developer_user_id    text NOT NULL,
  agent_id             text NOT NULL,
  version_id           text NOT NULL,
  amount_units         bigint NOT NULL,
  state                text NOT NULL DEFAULT 'open',
  captured_units       bigint,
  forwarded_at         timestamptz,
  forward_count        integer NOT NULL DEFAULT 0,
  -- When the first piece of a streamed answer was about to be handed to the buyer; null before
  delivered_at         timestamptz,
  lease_until          timestamptz NOT NULL,
  -- The transaction invocation/<id>/hold; null for a hold of 0, and for holds that transaction_references names
  hold_transaction_id  text,
  -- The transaction invocation/<id>/capture or /void; null as hold_transaction_id is, and while the hold is open
  end_transaction_id   text,
  trace_id             text,
  created_at           timestamptz NOT NULL DEFAULT now(),
  resolved_at          timestamptz,
  CONSTRAINT holds_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT holds_rules CHECK (ledger_check_hold(invocation_id, amount_units, state, captured_units,
    resolved_at)) NOT VALID
) PARTITION BY RANGE (invocation_id);
-- Partitions: months.holds_<yyyy>_<mm> for each month, and months.holds_default for all other ids, each WITH
-- (fillfactor = 70), and besides:
--   CREATE TRIGGER holds_never_deleted BEFORE DELETE OR TRUNCATE ON each FOR EACH STATEMENT
--       EXECUTE FUNCTION ledger_refuse_change()
CREATE INDEX holds_open_agent ON holds (agent_id, invocation_id) WHERE (state = 'open');
CREATE INDEX holds_open_buyer ON holds (buyer_user_id, invocation_id) WHERE (state = 'open');
CREATE TRIGGER holds_guard AFTER UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION ledger_guard_hold();
CREATE TRIGGER holds_never_deleted BEFORE DELETE OR TRUNCATE ON holds FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON holds TO market_app;

-- A lot: the developer's net of one captured call. payable = Σ over lots outside payouts of (net − recovered) +
-- carries.
CREATE TABLE earnings (
  invocation_id       text NOT NULL,
  developer_user_id   text NOT NULL,
  agent_id            text NOT NULL,
  gross_units         bigint NOT NULL,
  fee_units           bigint NOT NULL,
  -- That of the version that was called (agent_versions.fee_percent)
  fee_percent         smallint NOT NULL,
  net_units           bigint NOT NULL,
  -- What clawbacks took of this lot: its own first, then others
  recovered_units     bigint NOT NULL DEFAULT 0,
  matures_at          timestamptz NOT NULL,
  dispute_open        boolean NOT NULL DEFAULT false,
  clawed_back_at      timestamptz,
  -- Unpaid, and to be found by earnings_late: a cursor of payouts is past it or soon will be
  late                boolean NOT NULL DEFAULT false,
  payout_id           text,
  created_at          timestamptz NOT NULL DEFAULT now(),
  -- The part of the gross that a dispute returned to the buyer; null for none, and for a lot that was clawed back
  -- whole
  returned_units      bigint,
  -- What fees returned with that part: the share of the fee in it, and in what slashes had given the buyer before
  returned_fee_units  bigint,
  -- What the developer returned with that part
  returned_net_units  bigint,
  CONSTRAINT earnings_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT earnings_split CHECK (ledger_check_lot(gross_units, net_units, fee_units, fee_percent,
    recovered_units)) NOT VALID
) PARTITION BY RANGE (invocation_id);
-- Partitions: months.earnings_<yyyy>_<mm> for each month, and months.earnings_default for all other ids, each WITH
-- (fillfactor = 45), and besides:
--   CREATE TRIGGER earnings_never_deleted BEFORE DELETE OR TRUNCATE ON each FOR EACH STATEMENT
--       EXECUTE FUNCTION ledger_refuse_change()
CREATE INDEX earnings_developer ON earnings (developer_user_id, matures_at, invocation_id);
CREATE INDEX earnings_late ON earnings (developer_user_id, matures_at, invocation_id) WHERE late;
CREATE TRIGGER earnings_days_changed AFTER UPDATE ON earnings REFERENCING OLD TABLE AS old_lots NEW TABLE AS new_lots
  FOR EACH STATEMENT EXECUTE FUNCTION earning_days_follow_changed();
CREATE TRIGGER earnings_guard BEFORE UPDATE ON earnings FOR EACH ROW EXECUTE FUNCTION ledger_guard_lot();
CREATE TRIGGER earnings_never_deleted BEFORE DELETE OR TRUNCATE ON earnings FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER earnings_one_payout BEFORE UPDATE ON earnings FOR EACH ROW WHEN (old.payout_id IS NOT NULL
  AND (new.payout_id IS DISTINCT FROM old.payout_id OR new.recovered_units <> old.recovered_units))
  EXECUTE FUNCTION payout_guard_lot();
GRANT SELECT ON earnings TO market_app;

-- What a developer owes after clawbacks that found too little in payable, wallet and bond.
CREATE TABLE clawback_debts (
  invocation_id      text NOT NULL,
  developer_user_id  text NOT NULL,
  owed_units         bigint NOT NULL,
  repaid_units       bigint NOT NULL DEFAULT 0,
  created_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT clawback_debts_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT clawback_debts_check CHECK (repaid_units >= 0 AND repaid_units <= owed_units),
  CONSTRAINT clawback_debts_owed_units_check CHECK (owed_units > 0)
);
CREATE INDEX clawback_debts_developer ON clawback_debts (developer_user_id);
GRANT SELECT ON clawback_debts TO market_app;

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

-- catalogue (0003_catalogue.sql) ------------------------------------------------------------------------------------

CREATE TABLE slugs (
  slug               text NOT NULL,
  developer_user_id  text NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT slugs_pkey PRIMARY KEY (slug),
  CONSTRAINT slugs_slug_check CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 64),
  CONSTRAINT slugs_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id)
);
GRANT SELECT, INSERT ON slugs TO market_app;

CREATE TABLE agents (
  agent_id            text NOT NULL,
  slug                text NOT NULL,
  major               integer NOT NULL,
  developer_user_id   text NOT NULL,
  kind                text NOT NULL,
  status              text NOT NULL DEFAULT 'active',
  signing_secret      bytea NOT NULL,
  serving_version_id  text,
  listed              boolean NOT NULL DEFAULT false,
  badge               text,
  trust_score         integer,
  live_at             timestamptz,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  -- unlisted: for everybody who knows its id; private: only for its owner and the accounts of agent_audience
  visibility          text NOT NULL DEFAULT 'public',
  CONSTRAINT agents_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agents_slug_major_key UNIQUE (slug, major),
  CONSTRAINT agents_kind_check CHECK (kind IN ('manifest', 'http', 'mcp', 'a2a')),
  CONSTRAINT agents_listed_is_public CHECK (NOT listed OR visibility = 'public'),
  CONSTRAINT agents_major_check CHECK (major >= 0),
  CONSTRAINT agents_status_check CHECK (status IN ('active', 'suspended', 'retired')),
  CONSTRAINT agents_trust_score_check CHECK (trust_score >= 0 AND trust_score <= 100),
  CONSTRAINT agents_visibility_check CHECK (visibility IN ('public', 'unlisted', 'private')),
  CONSTRAINT agents_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id),
  CONSTRAINT agents_serving_version_id_fkey FOREIGN KEY (serving_version_id) REFERENCES agent_versions(version_id),
  CONSTRAINT agents_slug_fkey FOREIGN KEY (slug) REFERENCES slugs(slug)
);
CREATE INDEX agents_developer ON agents (developer_user_id);
CREATE INDEX agents_listed ON agents (serving_version_id) WHERE (listed AND (status = 'active'));
CREATE INDEX agents_not_active ON agents (status, agent_id) WHERE (status <> 'active');
CREATE TRIGGER agent_search_follow AFTER INSERT OR UPDATE OF serving_version_id, listed, status,
  visibility ON agents FOR EACH ROW EXECUTE FUNCTION agent_search_follow();
CREATE TRIGGER agent_status_moves BEFORE UPDATE OF status ON agents FOR EACH ROW
  EXECUTE FUNCTION agent_status_moves();
GRANT SELECT, INSERT, UPDATE ON agents TO market_app;

-- A version that never went live gives its number back when its owner publishes the number again or deletes the draft;
-- its row stays, because runs, reports and findings refer to it (ADR 0106). Search finds forms of English words by
-- `search`, and every word, part of a word, and language without spaces by the other three (ADR 0206).
CREATE TABLE agent_versions (
  version_id          text NOT NULL,
  agent_id            text NOT NULL,
  slug                text NOT NULL,
  version             text NOT NULL,
  major               integer NOT NULL,
  minor               integer NOT NULL,
  patch               integer NOT NULL,
  state               text NOT NULL,
  manifest            text NOT NULL,
  manifest_sha256     text NOT NULL,
  -- JSON of what listings show of the manifest besides the columns: pricing, capabilities, data_handling, homepage
  public_part         text NOT NULL,
  endpoint_url        text NOT NULL,
  display_name        text NOT NULL,
  description         text NOT NULL,
  category            text NOT NULL,
  tags                text[] NOT NULL,
  pricing_model       text NOT NULL,
  -- What a call may cost at most: the price per call, or the most that a metered call may cost
  price_units         bigint NOT NULL,
  free_tier_calls     integer NOT NULL DEFAULT 0,
  timeout_ms          integer NOT NULL,
  max_payload_bytes   integer NOT NULL,
  retention_days      integer NOT NULL,
  streaming           boolean NOT NULL,
  idempotent          boolean NOT NULL,
  a2a_invocable       boolean NOT NULL,
  -- The platform's share of each charge: platform_settings.fee_percent at the time when the version went live
  fee_percent         smallint,
  reject_reason       text,
  search              tsvector GENERATED ALWAYS AS ((setweight(to_tsvector('english'::regconfig, display_name),
    'A'::"char") || setweight(to_tsvector('english'::regconfig, words(tags)),
    'B'::"char")) || setweight(to_tsvector('english'::regconfig, description), 'C'::"char")) STORED,
  search_words        tsvector GENERATED ALWAYS AS ((setweight(to_tsvector('simple'::regconfig, display_name),
    'A'::"char") || setweight(to_tsvector('simple'::regconfig, words(tags)),
    'B'::"char")) || setweight(to_tsvector('simple'::regconfig, description), 'C'::"char")) STORED,
  search_text         text GENERATED ALWAYS AS (search_text(display_name, slug, tags, description)) STORED,
  -- The characters and pairs of characters of search_text, by which the index finds the texts that may contain a term
  search_grams        text[] GENERATED ALWAYS AS (text_grams(search_text(display_name, slug, tags,
    description))) STORED,
  created_at          timestamptz NOT NULL DEFAULT now(),
  submitted_at        timestamptz,
  -- When verification was last requested; the sweep requests it again
  triggered_at        timestamptz,
  live_at             timestamptz,
  -- When its owner replaced or deleted a version that never went live; its number is free
  withdrawn_at        timestamptz,
  -- From when calls cost the price of this version, if that rose when it went live; null: since it is live
  price_effective_at  timestamptz,
  -- What calls cost until then: pricing of a manifest, price_units as in the column, and price_usd of a registration
  -- in USD
  former_price        jsonb,
  -- The warranty of the manifest; null without one
  warranty            jsonb,
  CONSTRAINT agent_versions_pkey PRIMARY KEY (version_id),
  CONSTRAINT agent_versions_fee_percent_check CHECK (fee_percent >= 0 AND fee_percent <= 50),
  CONSTRAINT agent_versions_former_price CHECK ((price_effective_at IS NULL) = (former_price IS NULL)),
  CONSTRAINT agent_versions_free_tier_calls_check CHECK (free_tier_calls >= 0),
  CONSTRAINT agent_versions_live_has_fee CHECK (state <> 'live' OR fee_percent IS NOT NULL),
  CONSTRAINT agent_versions_max_payload_bytes_check CHECK (max_payload_bytes > 0),
  CONSTRAINT agent_versions_price_units_check CHECK (price_units >= 0),
  CONSTRAINT agent_versions_pricing_model_check CHECK (pricing_model IN ('per_call', 'per_token', 'per_second')),
  CONSTRAINT agent_versions_retention_days_check CHECK (retention_days >= 0),
  CONSTRAINT agent_versions_state_check CHECK (state IN ('draft', 'submitted', 'verifying', 'verified', 'live',
    'superseded', 'rejected')),
  CONSTRAINT agent_versions_timeout_ms_check CHECK (timeout_ms >= 1000 AND timeout_ms <= 300000),
  CONSTRAINT agent_versions_version_id_check CHECK (version_id ~ '^agv_[0-9a-f]{32}$'),
  CONSTRAINT agent_versions_withdrawn CHECK (withdrawn_at IS NULL OR state = 'superseded' AND live_at IS NULL),
  CONSTRAINT agent_versions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT agent_versions_slug_fkey FOREIGN KEY (slug) REFERENCES slugs(slug)
);
CREATE INDEX agent_versions_agent ON agent_versions (agent_id, major, minor, patch);
CREATE INDEX agent_versions_near ON agent_versions USING gin (near_words(search_text));
CREATE UNIQUE INDEX agent_versions_number ON agent_versions (slug, version) WHERE (withdrawn_at IS NULL);
CREATE INDEX agent_versions_search ON agent_versions USING gin (search);
CREATE INDEX agent_versions_search_grams ON agent_versions USING gin (search_grams);
CREATE INDEX agent_versions_search_words ON agent_versions USING gin (search_words);
CREATE INDEX agent_versions_tags ON agent_versions USING gin (tags);
CREATE INDEX agent_versions_waiting ON agent_versions (submitted_at) WHERE (state IN ('submitted', 'verifying'));
CREATE INDEX agent_versions_warranty ON agent_versions (agent_id) WHERE (warranty IS NOT NULL);
CREATE TRIGGER agent_version_is_immutable BEFORE UPDATE ON agent_versions FOR EACH ROW
  EXECUTE FUNCTION agent_version_is_immutable();
CREATE TRIGGER agent_version_takes_fee BEFORE INSERT OR UPDATE OF state ON agent_versions FOR EACH ROW
  WHEN (new.state = 'live' AND new.fee_percent IS NULL) EXECUTE FUNCTION agent_version_takes_fee();
GRANT SELECT, INSERT, UPDATE ON agent_versions TO market_app;

-- Source of a version as it was sent (gzipped tar), for the static stages
CREATE TABLE agent_bundles (
  version_id  text NOT NULL,
  bundle      bytea NOT NULL,
  sha256      text NOT NULL,
  CONSTRAINT agent_bundles_pkey PRIMARY KEY (version_id),
  CONSTRAINT agent_bundles_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
GRANT SELECT, INSERT, DELETE ON agent_bundles TO market_app;

-- The header that the service sends to a self-hosted agent, so that the agent recognises it (specification,
-- "upstream_auth"). It stays with the endpoint that it was given for (ADR 0200): a version that moves to another host
-- brings its own, and the version that still serves keeps the one before.
CREATE TABLE upstream_credentials (
  credential_id  text NOT NULL GENERATED ALWAYS AS ((agent_id || ' ') || origin) STORED,
  agent_id       text NOT NULL,
  -- Of the endpoint that the credential was given for, and is sent to
  origin         text NOT NULL,
  header         text NOT NULL,
  -- Envelope-encrypted header value; the context is agent and header
  sealed         bytea NOT NULL,
  -- Of the master key that wraps it
  key_version    integer NOT NULL,
  set_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT upstream_credentials_pkey PRIMARY KEY (credential_id),
  CONSTRAINT upstream_credentials_agent_id_origin_key UNIQUE (agent_id, origin),
  CONSTRAINT upstream_credentials_header_check CHECK (header ~ '^[!#$%&''*+.^_`|~0-9a-z-]{1,128}$'),
  CONSTRAINT upstream_credentials_key_version_check CHECK (key_version > 0),
  CONSTRAINT upstream_credentials_origin_check CHECK (origin ~ '^https://[^/]+$'),
  CONSTRAINT upstream_credentials_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON upstream_credentials TO market_app;

-- Notices that only the owner of an agent reads: one row for each version and kind, when it was first seen.
CREATE TABLE agent_notices (
  notice_id      text NOT NULL,
  agent_id       text NOT NULL,
  version_id     text NOT NULL,
  kind           text NOT NULL,
  first_seen_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT agent_notices_pkey PRIMARY KEY (notice_id),
  CONSTRAINT agent_notices_version_id_kind_key UNIQUE (version_id, kind),
  CONSTRAINT agent_notices_notice_id_check CHECK (notice_id ~ '^ntc_[0-9a-f]{32}$'),
  CONSTRAINT agent_notices_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT agent_notices_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX agent_notices_agent ON agent_notices (agent_id, notice_id);
GRANT SELECT, INSERT ON agent_notices TO market_app;

-- Why search does not find an agent, or will not; written by agent_standing_refresh.
CREATE TABLE agent_hidden_reasons (
  agent_id  text NOT NULL,
  code      text NOT NULL,
  since     timestamptz NOT NULL DEFAULT now(),
  deadline  timestamptz,
  -- False: only announced; the agent is hidden after the deadline
  hides     boolean NOT NULL,
  CONSTRAINT agent_hidden_reasons_pkey PRIMARY KEY (agent_id, code),
  CONSTRAINT agent_hidden_reasons_code_check CHECK (code IN ('critical_finding', 'bond_shortfall')),
  CONSTRAINT agent_hidden_reasons_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
GRANT SELECT ON agent_hidden_reasons TO market_app;

-- Each change of an agent's listing status, for the stream of listings; written by agent_standing_refresh.
CREATE TABLE listing_changes (
  change_id    bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  agent_id     text NOT NULL,
  badge        text,
  trust_score  integer,
  listed       boolean NOT NULL,
  was_listed   boolean NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT listing_changes_pkey PRIMARY KEY (change_id),
  CONSTRAINT listing_changes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
CREATE INDEX listing_changes_agent ON listing_changes (agent_id, change_id DESC);
GRANT SELECT ON listing_changes TO market_app;

-- The figures that listings show. They are due when calls were counted (usage_roll_up), and at the end of each day.
CREATE TABLE agent_stats (
  agent_id         text NOT NULL,
  invocations_30d  integer NOT NULL DEFAULT 0,
  -- Buyers of each of the last 30 UTC days, by which listings are ranked
  buyer_days_30d   integer NOT NULL DEFAULT 0,
  success_rate     numeric(5,4),
  -- Of the calls that were no jobs
  p50_ms           integer,
  due_at           timestamptz NOT NULL,
  -- Jobs that succeeded
  jobs_30d         integer NOT NULL DEFAULT 0,
  job_p50_ms       integer,
  job_p95_ms       integer,
  -- Of the calls that were no jobs
  p95_ms           integer,
  -- Unrelated buyers of the last 30 UTC days, at most 1,000; below ten, the shares and durations are null
  buyers_30d       integer NOT NULL DEFAULT 0,
  CONSTRAINT agent_stats_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agent_stats_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
CREATE INDEX agent_stats_due ON agent_stats (due_at);
GRANT SELECT, INSERT, UPDATE ON agent_stats TO market_app;

-- calls (0004_calls.sql) --------------------------------------------------------------------------------------------

CREATE TABLE invocations (
  invocation_id      text NOT NULL,
  buyer_user_id      text NOT NULL,
  developer_user_id  text NOT NULL,
  agent_id           text NOT NULL,
  version_id         text NOT NULL,
  version            text NOT NULL,
  surface            text NOT NULL,
  status             text NOT NULL,
  price_units        bigint NOT NULL,
  free               boolean NOT NULL DEFAULT false,
  free_month         date,
  max_cost_credits   integer,
  idempotency_key    text,
  input_sha256       text NOT NULL,
  output_sha256      text,
  input_bytes        integer,
  output_bytes       integer,
  owner              text NOT NULL,
  trace_id           text NOT NULL,
  error_code         text,
  tokens_in          integer,
  tokens_out         integer,
  duration_ms        integer,
  -- What ended a streamed answer that was paid as far as it was delivered; null for a whole answer
  truncated_by       text,
  charged_units      bigint,
  invoked_at         timestamptz NOT NULL DEFAULT now(),
  settled_at         timestamptz,
  key_id             text,
  -- The mandate of the buyer under which the call was made
  mandate_id         text,
  -- The account that presented the mandate; the buyer pays
  caller_user_id     text,
  -- A worker carries it out from its stored input, so no process owns it
  is_task            boolean NOT NULL DEFAULT false,
  -- Pairs of text that the buyer gave the call; null for none. The agent does not get them
  metadata           jsonb,
  -- The budgets that count the call; null without any
  budget_ids         text[],
  -- The part of the charge that a dispute returned to the buyer; null for none, and for a call whose whole charge was
  -- returned
  returned_units     bigint,
  -- The member who made the call for an organisation: by a session, or by the key or grant that the member made. Null
  -- for others
  member_user_id     text,
  CONSTRAINT invocations_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT invocations_rules CHECK (invocation_check(invocation_id, surface, status, price_units, free,
    free_month, idempotency_key, input_bytes, output_bytes, truncated_by, charged_units, settled_at)) NOT VALID
) PARTITION BY RANGE (invocation_id);
-- Partitions: months.invocations_<yyyy>_<mm> for each month, and months.invocations_default for all other ids, each
-- WITH (fillfactor = 75).
CREATE INDEX invocations_agent ON invocations (agent_id, invocation_id DESC);
CREATE INDEX invocations_buyer ON invocations (buyer_user_id, invocation_id DESC);
CREATE INDEX invocations_mandate ON invocations (buyer_user_id, mandate_id) WHERE (mandate_id IS NOT NULL);
CREATE TRIGGER invocations_budget_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  WHEN (new.budget_ids IS NOT NULL AND new.status = old.status) EXECUTE FUNCTION budget_count_spending();
CREATE TRIGGER invocations_budget_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (new.budget_ids IS NOT NULL AND new.status <> old.status AND ((new.status IN ('succeeded', 'failed'))
  AND new.charged_units > 0 OR (old.status IN ('succeeded', 'failed')))) EXECUTE FUNCTION budget_count_spending();
CREATE TRIGGER invocations_event AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN ((new.status IN ('succeeded', 'failed')) AND new.status IS DISTINCT FROM old.status)
  EXECUTE FUNCTION event_of_invocation();
CREATE TRIGGER invocations_free_slot AFTER UPDATE OF status ON invocations FOR EACH ROW WHEN (new.free
  AND new.status = 'failed' AND old.status <> 'failed') EXECUTE FUNCTION free_calls_give_back();
CREATE TRIGGER invocations_guard AFTER UPDATE OF status ON invocations FOR EACH ROW
  EXECUTE FUNCTION invocation_guard();
CREATE TRIGGER invocations_key_freed AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (new.idempotency_key IS NOT NULL AND new.status = 'failed' AND old.status <> 'failed'
  AND COALESCE(new.charged_units, 0::bigint) = 0) EXECUTE FUNCTION invocation_note_key();
CREATE TRIGGER invocations_key_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  WHEN (new.key_id IS NOT NULL AND new.status = old.status) EXECUTE FUNCTION api_key_count_spending();
CREATE TRIGGER invocations_key_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (new.key_id IS NOT NULL AND new.status <> old.status AND ((new.status IN ('succeeded', 'failed'))
  AND new.charged_units > 0 OR (old.status IN ('succeeded', 'failed')))) EXECUTE FUNCTION api_key_count_spending();
CREATE TRIGGER invocations_key_taken AFTER INSERT ON invocations FOR EACH ROW WHEN (new.idempotency_key IS NOT NULL
  AND new.status <> 'failed') EXECUTE FUNCTION invocation_note_key();
CREATE TRIGGER invocations_mandate_made AFTER INSERT ON invocations FOR EACH ROW WHEN (new.mandate_id IS NOT NULL)
  EXECUTE FUNCTION mandate_follow_call();
CREATE TRIGGER invocations_mandate_moved AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (new.mandate_id IS NOT NULL AND new.status <> old.status) EXECUTE FUNCTION mandate_follow_call();
CREATE TRIGGER invocations_mandate_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  WHEN (new.mandate_id IS NOT NULL AND new.status = old.status) EXECUTE FUNCTION mandate_follow_call();
CREATE TRIGGER invocations_pending_made AFTER INSERT ON invocations FOR EACH ROW WHEN (new.status = 'pending')
  EXECUTE FUNCTION invocation_note_pending();
CREATE TRIGGER invocations_pending_moved AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (old.status = 'pending' AND new.status <> 'pending') EXECUTE FUNCTION invocation_note_pending();
CREATE TRIGGER invocations_task AFTER UPDATE OF status ON invocations FOR EACH ROW WHEN (new.is_task
  AND new.status IS DISTINCT FROM old.status) EXECUTE FUNCTION a2a_follow();
CREATE TRIGGER invocations_usage AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN ((new.status IN ('succeeded', 'failed', 'disputed')) AND new.status <> old.status
  AND NOT (new.status = 'succeeded' AND new.charged_units > 0)) EXECUTE FUNCTION usage_follow_call();
CREATE TRIGGER invocations_usage_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  EXECUTE FUNCTION usage_follow_return();
GRANT SELECT ON invocations TO market_app;

-- Calls that are accepted and have no hold yet: tasks that wait for a worker, and calls whose workflow is being
-- confirmed. Written by invocation_note_pending.
CREATE TABLE pending_calls (
  invocation_id  text NOT NULL,
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL,
  price_units    bigint NOT NULL,
  is_task        boolean NOT NULL,
  invoked_at     timestamptz NOT NULL,
  CONSTRAINT pending_calls_pkey PRIMARY KEY (invocation_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX pending_calls_agent ON pending_calls (agent_id);
CREATE INDEX pending_calls_buyer ON pending_calls (buyer_user_id);
CREATE INDEX pending_calls_since ON pending_calls (is_task, invoked_at);
GRANT SELECT ON pending_calls TO market_app;

-- A call is running while its hold is open.
-- Every call that has not ended: pending ones, and running ones, whose hold is open
CREATE VIEW open_calls AS
  SELECT h.invocation_id, h.buyer_user_id, h.agent_id, h.amount_units AS price_units, false AS is_pending
    FROM holds h
   WHERE h.state = 'open'
 UNION ALL
  SELECT p.invocation_id, p.buyer_user_id, p.agent_id, p.price_units, true AS is_pending
    FROM pending_calls p;
GRANT SELECT ON open_calls TO market_app;

-- Calls whose hold was open when their id was no longer young (docs/internals/statements.md#calls-in-flight). Calls in
-- flight are counted from long_calls_since on, a time in ms, and before it among these: the index over open holds keeps
-- the ended ones while a snapshot is old.
CREATE TABLE long_calls (
  invocation_id  text NOT NULL,
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL,
  -- It was a job when this was noted; jobs are swept by their own end
  is_job         boolean NOT NULL DEFAULT false,
  CONSTRAINT long_calls_pkey PRIMARY KEY (invocation_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX long_calls_agent ON long_calls (agent_id);
CREATE INDEX long_calls_buyer ON long_calls (buyer_user_id);
CREATE INDEX long_calls_swept ON long_calls (invocation_id) WHERE (NOT is_job);

-- A sequence has one version, whatever snapshots are open.
CREATE SEQUENCE long_calls_since MINVALUE 0 START 0;

-- A failed call frees its idempotency key; every other call keeps it for ever.
CREATE TABLE invocation_keys (
  buyer_user_id    text NOT NULL,
  idempotency_key  text NOT NULL,
  invocation_id    text NOT NULL,
  agent_id         text NOT NULL,
  input_sha256     text NOT NULL,
  CONSTRAINT invocations_key PRIMARY KEY (buyer_user_id, idempotency_key)
);
GRANT SELECT ON invocation_keys TO market_app;

-- Free calls that a buyer has used of an agent in a UTC month: accepted ones that did not fail. Written by
-- invocation_accept and free_calls_give_back; deleted by retention_purge two months later.
CREATE TABLE free_calls (
  month          date NOT NULL,
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL,
  used           integer NOT NULL,
  CONSTRAINT free_calls_pkey PRIMARY KEY (month, buyer_user_id, agent_id),
  CONSTRAINT free_calls_used_check CHECK (used >= 0)
) WITH (fillfactor = 50);
GRANT SELECT ON free_calls TO market_app;

-- Answers that a later reader needs; other bodies are not stored. Deleted by invocation_served and retention_purge.
CREATE TABLE invocation_answers (
  invocation_id  text NOT NULL,
  -- Envelope-encrypted JSON of the output; the context is the invocation id
  answer         bytea NOT NULL,
  expires_at     timestamptz NOT NULL,
  CONSTRAINT invocation_answers_pkey PRIMARY KEY (invocation_id)
);
CREATE INDEX invocation_answers_expiry ON invocation_answers (expires_at);
GRANT SELECT, UPDATE (answer), DELETE ON invocation_answers TO market_app;

-- Processes that want a notification when a call of another process is over
CREATE TABLE invocation_waiters (
  invocation_id  text NOT NULL,
  owner          text NOT NULL,
  CONSTRAINT invocation_waiters_pkey PRIMARY KEY (invocation_id, owner)
);

-- Processes that hold calls, each with the time at which it was last seen alive. Written by call_owner_seen.
CREATE TABLE call_owners (
  owner    text NOT NULL,
  seen_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT call_owners_pkey PRIMARY KEY (owner)
);

-- How many bytes the service keeps for an account: stored answers, inputs and messages of tasks, bodies of deliveries.
-- The bytes of free calls and of paid ones are counted apart, by the hour in which they expire (ADR 0203).
CREATE TABLE stored_bytes (
  user_id     text NOT NULL,
  -- The end of the hour in which they expire
  until       timestamptz NOT NULL,
  free_bytes  bigint NOT NULL DEFAULT 0,
  paid_bytes  bigint NOT NULL DEFAULT 0,
  CONSTRAINT stored_bytes_pkey PRIMARY KEY (user_id, until)
) WITH (fillfactor = 50);
CREATE INDEX stored_bytes_until ON stored_bytes (until);

-- mandates (0005_mandates.sql) --------------------------------------------------------------------------------------

-- Public keys of the accounts themselves; the keys of the service are signing_keys (0009).
CREATE TABLE mandate_keys (
  user_id     text NOT NULL,
  -- RFC 7638 thumbprint of the public key
  kid         text NOT NULL,
  public_jwk  jsonb NOT NULL,
  name        text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT mandate_keys_pkey PRIMARY KEY (user_id, kid),
  CONSTRAINT mandate_keys_kid_check CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'),
  CONSTRAINT mandate_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
GRANT SELECT, INSERT, DELETE ON mandate_keys TO market_app;

CREATE TABLE mandates (
  issuer_user_id   text NOT NULL,
  -- The jti of a mandate of the account itself; for a delegated one a name made of the whole chain above it
  mandate_id       text NOT NULL,
  seq              bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  jti              text NOT NULL,
  root_jti         text NOT NULL,
  parent_id        text,
  depth            integer NOT NULL,
  -- Of what was signed: one jti means one content, for ever
  content_sha256   text NOT NULL,
  -- The key that signed it
  kid              text NOT NULL,
  subject          text NOT NULL,
  max_units        bigint NOT NULL,
  max_call_units   bigint,
  max_occurrences  integer,
  payees           text[],
  not_before       timestamptz,
  expires_at       timestamptz NOT NULL,
  reserved_units   bigint NOT NULL DEFAULT 0,
  spent_units      bigint NOT NULL DEFAULT 0,
  occurrences      integer NOT NULL DEFAULT 0,
  first_used_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT mandates_pkey PRIMARY KEY (issuer_user_id, mandate_id),
  CONSTRAINT mandates_seq_key UNIQUE (seq),
  CONSTRAINT mandates_budget CHECK (reserved_units >= 0 AND spent_units >= 0
    AND (reserved_units + spent_units) <= max_units),
  CONSTRAINT mandates_depth_check CHECK (depth >= 1 AND depth <= 5),
  CONSTRAINT mandates_max_units_check CHECK (max_units > 0),
  CONSTRAINT mandates_occurrences CHECK (occurrences >= 0 AND occurrences <= max_occurrences),
  CONSTRAINT mandates_root CHECK ((parent_id IS NULL) = (depth = 1)),
  CONSTRAINT mandates_issuer_user_id_parent_id_fkey FOREIGN KEY (issuer_user_id, parent_id)
    REFERENCES mandates(issuer_user_id, mandate_id)
) WITH (fillfactor = 70);
CREATE INDEX mandates_parent ON mandates (issuer_user_id, parent_id) WHERE (parent_id IS NOT NULL);
GRANT SELECT ON mandates TO market_app;

-- A mandate may be revoked before it was ever used. An account may make up such revocations at will, so they are
-- bounded.
CREATE TABLE mandate_revocations (
  issuer_user_id  text NOT NULL,
  mandate_id      text NOT NULL,
  revoked_at      timestamptz NOT NULL DEFAULT now(),
  unused          boolean NOT NULL DEFAULT false,
  CONSTRAINT mandate_revocations_pkey PRIMARY KEY (issuer_user_id, mandate_id)
);
CREATE INDEX mandate_revocations_unused ON mandate_revocations (issuer_user_id) WHERE unused;
GRANT SELECT, INSERT ON mandate_revocations TO market_app;

-- Used proofs and the call that each was used for; never deleted
CREATE TABLE mandate_proofs (
  issuer_user_id  text NOT NULL,
  mandate_id      text NOT NULL,
  proof_jti       text NOT NULL,
  invocation_id   text NOT NULL,
  CONSTRAINT mandate_proofs_pkey PRIMARY KEY (issuer_user_id, mandate_id, proof_jti)
);
GRANT SELECT ON mandate_proofs TO market_app;

-- a2a (0006_a2a.sql) ------------------------------------------------------------------------------------------------

CREATE TABLE a2a_tasks (
  task_id         text NOT NULL,
  agent_id        text NOT NULL,
  -- Whose wallet pays
  buyer_user_id   text NOT NULL,
  -- The account that sent it, and may read and cancel it
  caller_user_id  text NOT NULL,
  context_id      text NOT NULL,
  trace_id        text NOT NULL,
  hops            integer NOT NULL DEFAULT 0,
  state           text NOT NULL DEFAULT 'SUBMITTED',
  state_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seq        integer NOT NULL DEFAULT 1,
  -- Why it was rejected: {code, message}, and what is lacking
  reason          jsonb,
  -- Envelope-encrypted input until the task ends; the context is the task id
  input           bytea,
  -- Envelope-encrypted A2A message that the task came with; the context is the task id
  message         bytea,
  -- When the engine last confirmed its workflow
  started_at      timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz,
  -- Content type of the input; null: JSON
  input_type      text,
  -- Sealed: the tests of the call, for the worker that performs it
  acceptance      bytea,
  CONSTRAINT a2a_tasks_pkey PRIMARY KEY (task_id),
  CONSTRAINT a2a_tasks_context_id_check CHECK (length(context_id) >= 1 AND length(context_id) <= 255),
  CONSTRAINT a2a_tasks_input_type_check CHECK (length(input_type) <= 255),
  CONSTRAINT a2a_tasks_reason CHECK ((state = 'REJECTED') = (reason IS NOT NULL)),
  CONSTRAINT a2a_tasks_state_check CHECK (state IN ('SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED',
    'REJECTED')),
  CONSTRAINT a2a_tasks_task_id_check CHECK (task_id ~ '^inv_[0-9a-f]{32}$')
);
CREATE INDEX a2a_tasks_caller ON a2a_tasks (caller_user_id, agent_id, state_at DESC, task_id DESC);
CREATE INDEX a2a_tasks_expiry ON a2a_tasks (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX a2a_tasks_unconfirmed ON a2a_tasks (started_at) WHERE ((started_at IS NOT NULL)
  AND (state = 'SUBMITTED'));
CREATE INDEX a2a_tasks_unstarted ON a2a_tasks (created_at) WHERE ((started_at IS NULL) AND (state = 'SUBMITTED'));
CREATE TRIGGER a2a_tasks_begin AFTER INSERT ON a2a_tasks FOR EACH ROW EXECUTE FUNCTION a2a_begin();
GRANT SELECT, INSERT, UPDATE (input, message, started_at) ON a2a_tasks TO market_app;

-- The events of subscribers, in order; the first is the initial state
CREATE TABLE a2a_task_events (
  task_id  text NOT NULL,
  seq      integer NOT NULL,
  state    text NOT NULL,
  at       timestamptz NOT NULL,
  CONSTRAINT a2a_task_events_pkey PRIMARY KEY (task_id, seq),
  CONSTRAINT a2a_task_events_task_id_fkey FOREIGN KEY (task_id) REFERENCES a2a_tasks(task_id) ON DELETE CASCADE
);
CREATE TRIGGER a2a_task_events_push AFTER INSERT ON a2a_task_events FOR EACH ROW WHEN (new.seq > 1)
  EXECUTE FUNCTION a2a_push();
GRANT SELECT ON a2a_task_events TO market_app;

-- Endpoints of callers for push notifications; a2a_push queues their deliveries (0007).
CREATE TABLE a2a_push_configs (
  endpoint_id  text NOT NULL,
  task_id      text NOT NULL,
  config_id    text NOT NULL,
  -- Envelope-encrypted {url, token, scheme, credentials}; the context is the endpoint id
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  disabled_at  timestamptz,
  CONSTRAINT a2a_push_configs_pkey PRIMARY KEY (endpoint_id),
  CONSTRAINT a2a_push_configs_task_id_config_id_key UNIQUE (task_id, config_id),
  CONSTRAINT a2a_push_configs_config_id_check CHECK (length(config_id) >= 1 AND length(config_id) <= 255),
  CONSTRAINT a2a_push_configs_endpoint_id_check CHECK (endpoint_id ~ '^whk_[0-9a-f]{32}$'),
  CONSTRAINT a2a_push_configs_task_id_fkey FOREIGN KEY (task_id) REFERENCES a2a_tasks(task_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE (sealed, disabled_at), DELETE ON a2a_push_configs TO market_app;

-- webhooks (0007_webhooks.sql) --------------------------------------------------------------------------------------

CREATE TABLE events (
  event_id    text NOT NULL,
  type        text NOT NULL,
  agent_id    text,
  -- What everybody in the audience may know: ids, amounts, states and times; no bodies and no secrets
  data        jsonb NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT events_pkey PRIMARY KEY (event_id),
  CONSTRAINT events_event_id_check CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
  CONSTRAINT events_type_check CHECK (type ~ '^[a-z_]+[.][a-z_]+$')
) PARTITION BY RANGE (event_id);
-- Partitions: months.events_<yyyy>_<mm> for each month, and months.events_default for all other ids, each WITH
-- (fillfactor = 100).
CREATE INDEX events_age ON events (created_at);
GRANT SELECT ON events TO market_app;

CREATE TABLE webhooks (
  webhook_id       text NOT NULL,
  user_id          text NOT NULL,
  types            text[] NOT NULL,
  agent_id         text,
  -- Envelope-encrypted {url, secrets: [{secret, until_ms}]}; the context is the webhook id
  sealed           bytea NOT NULL,
  disabled_at      timestamptz,
  disabled_reason  text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhooks_check CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CONSTRAINT webhooks_disabled_reason_check CHECK (disabled_reason IN ('owner', 'gone')),
  CONSTRAINT webhooks_types_check CHECK (cardinality(types) > 0),
  CONSTRAINT webhooks_webhook_id_check CHECK (webhook_id ~ '^whk_[0-9a-f]{32}$'),
  CONSTRAINT webhooks_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT webhooks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX webhooks_agent ON webhooks (agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX webhooks_user ON webhooks (user_id, webhook_id DESC);
CREATE TRIGGER webhooks_disabled_notice AFTER UPDATE OF disabled_at ON webhooks FOR EACH ROW
  WHEN (old.disabled_at IS NULL AND new.disabled_reason = 'gone') EXECUTE FUNCTION webhook_disabled_noted();
GRANT SELECT, INSERT, UPDATE (types, agent_id, sealed, disabled_at, disabled_reason, updated_at), DELETE ON webhooks
  TO market_app;

CREATE TABLE webhook_deliveries (
  delivery_id      text NOT NULL,
  event_id         text NOT NULL,
  endpoint_kind    text NOT NULL,
  endpoint_id      text NOT NULL,
  -- Whose turns its attempts use: the owner of the webhook, or the buyer of the task; empty in deliveries of earlier
  -- releases
  account          text NOT NULL DEFAULT 'unknown',
  subject_id       text NOT NULL,
  subject_seq      integer,
  -- Envelope-encrypted body, made before the first attempt; the context is the delivery id
  payload          bytea,
  state            text NOT NULL DEFAULT 'pending',
  attempts         integer NOT NULL DEFAULT 0,
  last_status      integer,
  last_error       text,
  claimed_at       timestamptz,
  started_at       timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  finished_at      timestamptz,
  -- How often the delivery was requested again; each round has its own workflow
  round            integer NOT NULL DEFAULT 0,
  -- The owner requested it by hand, and no attempt was made since
  requested        boolean NOT NULL DEFAULT false,
  -- Null before the first attempt of a round, and after the last
  next_attempt_at  timestamptz,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  CONSTRAINT webhook_deliveries_delivery_id_check CHECK (delivery_id ~ '^whd_[0-9a-f]{32}$'),
  CONSTRAINT webhook_deliveries_end CHECK ((state = 'pending') = (finished_at IS NULL)),
  CONSTRAINT webhook_deliveries_endpoint_kind_check CHECK (endpoint_kind IN ('a2a_push', 'webhook')),
  CONSTRAINT webhook_deliveries_event_id_check CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
  CONSTRAINT webhook_deliveries_forgotten CHECK (state = 'pending' OR payload IS NULL),
  CONSTRAINT webhook_deliveries_requested CHECK (state = 'pending' OR NOT requested),
  CONSTRAINT webhook_deliveries_round_check CHECK (round >= 0),
  CONSTRAINT webhook_deliveries_state_check CHECK (state IN ('pending', 'delivered', 'failed', 'gone'))
) PARTITION BY RANGE (delivery_id);
-- Partitions: months.webhook_deliveries_<yyyy>_<mm> for each month, and months.webhook_deliveries_default for all
-- other ids, each WITH (fillfactor = 85), and besides:
--   CREATE UNIQUE INDEX …_once ON each (event_id, endpoint_id)
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, delivery_id DESC);
CREATE INDEX webhook_deliveries_first ON webhook_deliveries (account) WHERE ((state = 'pending') AND (attempts = 0)
  AND (started_at IS NOT NULL));
CREATE INDEX webhook_deliveries_requested ON webhook_deliveries (endpoint_id) WHERE requested;
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, delivery_id DESC);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (created_at) WHERE ((started_at IS NULL)
  AND (state = 'pending'));
CREATE INDEX webhook_deliveries_waiting_account ON webhook_deliveries (account, delivery_id COLLATE "C")
  WHERE ((started_at IS NULL) AND (state = 'pending'));
GRANT SELECT, INSERT, UPDATE ON webhook_deliveries TO market_app;

CREATE TABLE webhook_attempts (
  delivery_id  text NOT NULL,
  attempt      integer NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  status       integer,
  error        text,
  duration_ms  integer NOT NULL,
  -- The beginning of the answer as one line of text, without secrets; null if there was none
  answer       text,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, attempt),
  CONSTRAINT webhook_attempts_answer_check CHECK (length(answer) <= 500),
  CONSTRAINT webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id)
    REFERENCES webhook_deliveries(delivery_id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempts_delivery_id_fkey_1 FOREIGN KEY (delivery_id)
    REFERENCES months.webhook_deliveries_2026_11(delivery_id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempts_delivery_id_fkey_2 FOREIGN KEY (delivery_id)
    REFERENCES months.webhook_deliveries_2026_12(delivery_id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempts_delivery_id_fkey_3 FOREIGN KEY (delivery_id)
    REFERENCES months.webhook_deliveries_2027_01(delivery_id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempts_delivery_id_fkey_4 FOREIGN KEY (delivery_id)
    REFERENCES months.webhook_deliveries_default(delivery_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT ON webhook_attempts TO market_app;

-- Events for the event streams of accounts (`GET /v1/events/stream`, ADR 0120). `event_record` writes a row for each
-- account of the audience that follows its events: one that has an open stream, or had one within the last day. Other
-- accounts cost nothing.
--
-- `event_order` gives each committed row its position, in one transaction at a time. So positions become visible in
-- their order, and a reader that continues behind a position misses nothing. A position is a time in microseconds since
-- 1970, and rows are deleted by it.
CREATE TABLE event_followers (
  user_id  text NOT NULL,
  -- A position: no later event of the account is missing
  since    bigint NOT NULL,
  until    timestamptz NOT NULL,
  CONSTRAINT event_followers_pkey PRIMARY KEY (user_id)
) WITH (fillfactor = 50);
CREATE INDEX event_followers_until ON event_followers (until);
GRANT SELECT ON event_followers TO market_app;

CREATE TABLE event_inbox (
  user_id   text NOT NULL,
  event_id  text NOT NULL,
  -- Null until event_order has found the row
  position  bigint,
  CONSTRAINT event_inbox_pkey PRIMARY KEY (user_id, event_id),
  CONSTRAINT event_inbox_event_id_check CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
  CONSTRAINT event_inbox_position_check CHECK ("position" > 0)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX event_inbox_account ON event_inbox (user_id, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX event_inbox_new ON event_inbox (event_id) WHERE ("position" IS NULL);
CREATE UNIQUE INDEX event_inbox_positions ON event_inbox ("position") WHERE ("position" IS NOT NULL);
GRANT SELECT ON event_inbox TO market_app;

-- billing (0008_billing.sql) ----------------------------------------------------------------------------------------

CREATE TABLE topups (
  topup_id            text NOT NULL,
  user_id             text NOT NULL,
  -- What is paid, with tax
  amount_minor        bigint NOT NULL,
  currency            text NOT NULL,
  amount_units        bigint NOT NULL,
  provider            text NOT NULL,
  provider_reference  text,
  payment_url         text,
  status              text NOT NULL DEFAULT 'pending',
  idempotency_key     text,
  trace_id            text,
  created_at          timestamptz NOT NULL DEFAULT now(),
  completed_at        timestamptz,
  -- Units of the currency for one dollar, with which amount_units was computed; null for a fixed price
  rate                numeric(14,6),
  rate_at             timestamptz,
  -- How far the applied rate lay below that
  spread_percent      numeric(4,2),
  -- The payer wants to save the payment method
  saves_method        boolean NOT NULL DEFAULT false,
  automatic           boolean NOT NULL DEFAULT false,
  -- The saved method that pays an automatic top-up
  method_id           text,
  -- Until when the process that begins an automatic top-up may take; then another continues it
  lease_until         timestamptz,
  -- Why an automatic top-up failed, a code
  failure             text,
  -- The part of amount_minor that is tax; the rest is the price of the credits
  tax_minor           bigint NOT NULL DEFAULT 0,
  -- Issuer, buyer and tax as they were when it was opened; null without tax settings
  terms               jsonb,
  CONSTRAINT topups_pkey PRIMARY KEY (topup_id),
  CONSTRAINT topups_key UNIQUE (user_id, idempotency_key),
  CONSTRAINT topups_provider_reference UNIQUE (provider, provider_reference),
  CONSTRAINT topups_amount_minor_check CHECK (amount_minor > 0),
  CONSTRAINT topups_amount_units_check CHECK (amount_units >= 1 AND amount_units <= '9007199254740991'::bigint),
  CONSTRAINT topups_check CHECK ((status = 'pending') = (completed_at IS NULL)),
  CONSTRAINT topups_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT topups_failure_check CHECK (failure ~ '^[a-z_]{1,40}$'),
  CONSTRAINT topups_idempotency_key_check CHECK (length(idempotency_key) >= 1 AND length(idempotency_key) <= 255),
  CONSTRAINT topups_payment_url_check CHECK (length(payment_url) <= 2000),
  CONSTRAINT topups_provider_check CHECK (provider IN ('sandbox', 'razorpay', 'stripe')),
  CONSTRAINT topups_provider_reference_check CHECK (length(provider_reference) <= 200),
  CONSTRAINT topups_rate CHECK ((rate IS NULL) = (rate_at IS NULL) AND (rate IS NULL) = (spread_percent IS NULL)),
  CONSTRAINT topups_rate_check CHECK (rate > 0::numeric),
  CONSTRAINT topups_spread_percent_check CHECK (spread_percent >= 0::numeric),
  CONSTRAINT topups_status_check CHECK (status IN ('pending', 'succeeded', 'failed')),
  CONSTRAINT topups_tax CHECK (tax_minor >= 0 AND tax_minor < amount_minor),
  CONSTRAINT topups_topup_id_check CHECK (topup_id ~ '^top_[0-9a-f]{32}$'),
  CONSTRAINT topups_trace_id_check CHECK (length(trace_id) <= 64),
  CONSTRAINT topups_method_id_fkey FOREIGN KEY (method_id) REFERENCES saved_methods(method_id),
  CONSTRAINT topups_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX topups_automatic ON topups (user_id, created_at) WHERE automatic;
CREATE UNIQUE INDEX topups_automatic_pending ON topups (user_id) WHERE (automatic AND (status = 'pending'));
CREATE TRIGGER topups_automatic_ended AFTER UPDATE OF status ON topups FOR EACH ROW WHEN (new.automatic
  AND old.status = 'pending' AND new.status <> 'pending') EXECUTE FUNCTION auto_topup_ended();
CREATE TRIGGER topups_event AFTER UPDATE OF status ON topups FOR EACH ROW WHEN (new.status = 'succeeded'
  AND old.status <> 'succeeded') EXECUTE FUNCTION event_of_topup();
GRANT SELECT, INSERT (topup_id, user_id, amount_minor, currency, amount_units, provider, provider_reference,
  payment_url, idempotency_key, trace_id, rate, rate_at, spread_percent, saves_method, tax_minor, terms),
  UPDATE (provider_reference, payment_url, lease_until) ON topups TO market_app;

-- The last number of each series; numbers have no gaps.
CREATE TABLE invoice_series (
  series       text NOT NULL,
  last_number  bigint NOT NULL,
  CONSTRAINT invoice_series_pkey PRIMARY KEY (series),
  CONSTRAINT invoice_series_last_number_check CHECK (last_number > 0),
  CONSTRAINT invoice_series_series_check CHECK (series ~ '^(INV|SBX|CRN|DBN|SBC|SBD)([2-9]|[1-9][0-9])?-[0-9]{4}$')
);
GRANT SELECT ON invoice_series TO market_app;

CREATE TABLE invoices (
  invoice_id    text NOT NULL,
  number        text NOT NULL,
  series        text NOT NULL,
  series_no     bigint NOT NULL,
  topup_id      text NOT NULL,
  user_id       text NOT NULL,
  amount_minor  bigint NOT NULL,
  currency      text NOT NULL,
  amount_units  bigint NOT NULL,
  status        text NOT NULL,
  issued_at     timestamptz NOT NULL DEFAULT now(),
  -- Name, address and details of the buyer when it was issued; null on invoices that are older than this column
  billed_to     jsonb,
  tax_minor     bigint NOT NULL DEFAULT 0,
  -- Who issued it, as it was then; null before the operator had set an issuer
  issuer        jsonb,
  -- Country, treatment and rates of its day; null before the operator had set an issuer
  tax           jsonb,
  CONSTRAINT invoices_pkey PRIMARY KEY (invoice_id),
  CONSTRAINT invoices_number_key UNIQUE (number),
  CONSTRAINT invoices_series_series_no_key UNIQUE (series, series_no),
  CONSTRAINT invoices_topup_id_key UNIQUE (topup_id),
  CONSTRAINT invoices_invoice_id_check CHECK (invoice_id ~ '^ivc_[0-9a-f]{32}$'),
  CONSTRAINT invoices_series_no_check CHECK (series_no > 0),
  CONSTRAINT invoices_status_check CHECK (status IN ('paid', 'sandbox')),
  CONSTRAINT invoices_series_fkey FOREIGN KEY (series) REFERENCES invoice_series(series),
  CONSTRAINT invoices_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES topups(topup_id),
  CONSTRAINT invoices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX invoices_user ON invoices (user_id, invoice_id DESC);
CREATE TRIGGER invoices_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON invoices FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON invoices TO market_app;

CREATE TABLE payment_events (
  provider     text NOT NULL,
  event_id     text NOT NULL,
  type         text NOT NULL,
  payment_id   text,
  received_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payment_events_pkey PRIMARY KEY (provider, event_id),
  CONSTRAINT payment_events_event_id_check CHECK (length(event_id) >= 1 AND length(event_id) <= 200),
  CONSTRAINT payment_events_payment_id_check CHECK (length(payment_id) <= 100),
  CONSTRAINT payment_events_provider_check CHECK (provider IN ('razorpay', 'stripe')),
  CONSTRAINT payment_events_type_check CHECK (length(type) <= 100)
);
CREATE TRIGGER payment_events_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON payment_events FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON payment_events TO market_app;

CREATE TABLE payments (
  payment_id         text NOT NULL,
  provider           text NOT NULL,
  -- What the provider says the payment is for; our top-up id, if it is honest
  reference          text,
  amount_minor       bigint NOT NULL,
  currency           text NOT NULL,
  topup_id           text,
  state              text NOT NULL,
  quarantine_reason  text,
  -- The top-up that the money became: its own, or the one that an operator's decision made
  credited_topup_id  text,
  received_at        timestamptz NOT NULL DEFAULT now(),
  resolved_at        timestamptz,
  CONSTRAINT payments_pkey PRIMARY KEY (payment_id),
  CONSTRAINT payments_credited_topup_id_key UNIQUE (credited_topup_id),
  CONSTRAINT payments_amount_minor_check CHECK (amount_minor >= 0 AND amount_minor <= '9007199254740991'::bigint),
  CONSTRAINT payments_check CHECK ((state = 'credited') = (quarantine_reason IS NULL)),
  CONSTRAINT payments_check1 CHECK ((state IN ('credited', 'resolved_credited')) = (credited_topup_id IS NOT NULL)),
  CONSTRAINT payments_check2 CHECK ((state IN ('resolved_credited',
    'resolved_returned')) = (resolved_at IS NOT NULL)),
  CONSTRAINT payments_currency_check CHECK (length(currency) >= 1 AND length(currency) <= 16),
  CONSTRAINT payments_payment_id_check CHECK (length(payment_id) >= 1 AND length(payment_id) <= 100),
  CONSTRAINT payments_provider_check CHECK (provider IN ('razorpay', 'stripe')),
  CONSTRAINT payments_quarantine_reason_check CHECK (quarantine_reason IN ('amount_mismatch', 'currency_mismatch',
    'unknown_topup', 'topup_closed', 'paid_twice')),
  CONSTRAINT payments_reference_check CHECK (length(reference) <= 100),
  CONSTRAINT payments_state_check CHECK (state IN ('credited', 'quarantined', 'resolved_credited',
    'resolved_returned')),
  CONSTRAINT payments_credited_topup_id_fkey FOREIGN KEY (credited_topup_id) REFERENCES topups(topup_id),
  CONSTRAINT payments_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES topups(topup_id)
);
CREATE INDEX payments_quarantined ON payments (payment_id DESC) WHERE (state = 'quarantined');
CREATE INDEX payments_received ON payments (received_at DESC, payment_id DESC);
CREATE TRIGGER payments_guard BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION payment_guard();
CREATE TRIGGER payments_never_deleted BEFORE DELETE OR TRUNCATE ON payments FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON payments TO market_app;

-- Refunds and chargebacks, by the provider's id. payment_id has no foreign key: a reversal may arrive before its
-- payment, and waits for it.
CREATE TABLE payment_reversals (
  reversal_id     text NOT NULL,
  provider        text NOT NULL,
  kind            text NOT NULL,
  payment_id      text NOT NULL,
  amount_minor    bigint NOT NULL,
  currency        text NOT NULL,
  state           text NOT NULL,
  user_id         text,
  -- Taken back in total, from the wallet and as a debt
  reversed_units  bigint NOT NULL DEFAULT 0,
  -- The debt that top-ups have not paid yet
  owed_units      bigint NOT NULL DEFAULT 0,
  received_at     timestamptz NOT NULL DEFAULT now(),
  taken_at        timestamptz,
  CONSTRAINT payment_reversals_pkey PRIMARY KEY (reversal_id),
  CONSTRAINT payment_reversals_amount_minor_check CHECK (amount_minor >= 0
    AND amount_minor <= '9007199254740991'::bigint),
  CONSTRAINT payment_reversals_check CHECK (owed_units >= 0 AND owed_units <= reversed_units),
  CONSTRAINT payment_reversals_check1 CHECK (reversed_units = 0 OR user_id IS NOT NULL AND taken_at IS NOT NULL),
  CONSTRAINT payment_reversals_check2 CHECK (owed_units = 0 OR state = 'taken'),
  CONSTRAINT payment_reversals_currency_check CHECK (length(currency) >= 1 AND length(currency) <= 16),
  CONSTRAINT payment_reversals_kind_check CHECK (kind IN ('refund', 'dispute')),
  CONSTRAINT payment_reversals_payment_id_check CHECK (length(payment_id) >= 1 AND length(payment_id) <= 100),
  CONSTRAINT payment_reversals_provider_check CHECK (provider IN ('razorpay', 'stripe')),
  CONSTRAINT payment_reversals_reversal_id_check CHECK (reversal_id ~ '^[A-Za-z0-9_]{1,100}$'),
  CONSTRAINT payment_reversals_reversed_units_check CHECK (reversed_units >= 0),
  CONSTRAINT payment_reversals_state_check CHECK (state IN ('open', 'waiting', 'taken', 'closed', 'returned')),
  CONSTRAINT payment_reversals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX payment_reversals_debtor ON payment_reversals (user_id) WHERE (owed_units > 0);
CREATE INDEX payment_reversals_owed ON payment_reversals (received_at DESC, reversal_id DESC) WHERE (owed_units > 0);
CREATE INDEX payment_reversals_payment ON payment_reversals (payment_id);
CREATE INDEX payment_reversals_received ON payment_reversals (received_at DESC, reversal_id DESC);
CREATE TRIGGER payment_reversals_never_deleted BEFORE DELETE OR TRUNCATE ON payment_reversals FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON payment_reversals TO market_app;

-- Wallets that an operator or a debt has frozen: they pay for no call, and nothing is paid out. Calls accepted before
-- end as they would, and money still comes in. operator_actions has who froze and unfroze a wallet, when and why.
CREATE TABLE frozen_wallets (
  user_id    text NOT NULL,
  cause      text NOT NULL DEFAULT 'operator',
  frozen_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT frozen_wallets_pkey PRIMARY KEY (user_id, cause),
  CONSTRAINT frozen_wallets_cause_check CHECK (cause IN ('operator', 'debt')),
  CONSTRAINT frozen_wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE TRIGGER frozen_wallets_notice AFTER INSERT OR DELETE ON frozen_wallets FOR EACH ROW
  EXECUTE FUNCTION wallet_freeze_noted();
GRANT SELECT ON frozen_wallets TO market_app;

-- One row. Its rate counts for versions that go live from then on; `market operator fee` changes it.
CREATE TABLE platform_settings (
  only_row     boolean NOT NULL DEFAULT true,
  -- The platform's share of each charge, in whole percent
  fee_percent  smallint NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT platform_settings_pkey PRIMARY KEY (only_row),
  CONSTRAINT platform_settings_fee_percent_check CHECK (fee_percent >= 0 AND fee_percent <= 50),
  CONSTRAINT platform_settings_only_row_check CHECK (only_row)
);
GRANT SELECT, UPDATE (fee_percent, updated_at) ON platform_settings TO market_app;

-- evidence (0009_evidence.sql) --------------------------------------------------------------------------------------

CREATE TABLE signing_keys (
  -- RFC 7638 thumbprint of the public key
  kid             text NOT NULL,
  public_jwk      jsonb NOT NULL,
  -- Envelope-encrypted PKCS #8; the context is the kid
  sealed_private  bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  retired_at      timestamptz,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT signing_keys_check CHECK (retired_at >= created_at),
  CONSTRAINT signing_keys_kid_check CHECK (kid ~ '^[A-Za-z0-9_-]{43}$')
);
CREATE UNIQUE INDEX signing_keys_one_signs ON signing_keys ((true)) WHERE (retired_at IS NULL);
GRANT SELECT, INSERT, UPDATE (sealed_private, retired_at) ON signing_keys TO market_app;

CREATE TABLE invocation_evidence (
  invocation_id  text NOT NULL,
  kid            text NOT NULL,
  -- Compact JWS; its payload is all that the evidence says
  signature      text NOT NULL,
  signed_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT invocation_evidence_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT invocation_evidence_kid_fkey FOREIGN KEY (kid) REFERENCES signing_keys(kid)
);
GRANT SELECT, INSERT ON invocation_evidence TO market_app;

-- ledger digests (0010_ledger_digests.sql) --------------------------------------------------------------------------

CREATE TABLE ledger_digests (
  day              date NOT NULL,
  format           smallint NOT NULL DEFAULT 1,
  transactions     bigint NOT NULL,
  entries          bigint NOT NULL,
  debits_units     bigint NOT NULL,
  credits_units    bigint NOT NULL,
  entries_sha256   text NOT NULL,
  -- digest_sha256 of the day before; zeros on the first day
  previous_sha256  text NOT NULL,
  -- SHA-256 of digest_terms: what is signed
  digest_sha256    text NOT NULL,
  kid              text NOT NULL,
  -- Compact JWS over digest_terms by the key kid
  seal             text NOT NULL,
  sealed_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ledger_digests_pkey PRIMARY KEY (day),
  CONSTRAINT ledger_digests_digest_sha256_key UNIQUE (digest_sha256),
  CONSTRAINT ledger_digests_credits_units_check CHECK (credits_units >= 0),
  CONSTRAINT ledger_digests_debits_units_check CHECK (debits_units <= 0),
  CONSTRAINT ledger_digests_digest_sha256_check CHECK (digest_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT ledger_digests_entries_check CHECK (entries >= 0),
  CONSTRAINT ledger_digests_entries_sha256_check CHECK (entries_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT ledger_digests_format_check CHECK (format = 1),
  CONSTRAINT ledger_digests_previous_sha256_check CHECK (previous_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT ledger_digests_transactions_check CHECK (transactions >= 0),
  CONSTRAINT ledger_digests_kid_fkey FOREIGN KEY (kid) REFERENCES signing_keys(kid)
);
CREATE TRIGGER ledger_digests_guard BEFORE INSERT ON ledger_digests FOR EACH ROW EXECUTE FUNCTION digest_guard();
CREATE TRIGGER ledger_digests_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_digests FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON ledger_digests TO market_app;

-- The sealed days that a check has proven (ledger_prove), and what each account held and how many entries it had at the
-- end of the last of them: an incremental check begins there.
CREATE TABLE ledger_proven_days (
  day        date NOT NULL,
  -- The check read all of the ledger, and not only what came after the day before
  is_full    boolean NOT NULL,
  proven_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ledger_proven_days_pkey PRIMARY KEY (day),
  CONSTRAINT ledger_proven_days_day_fkey FOREIGN KEY (day) REFERENCES ledger_digests(day)
);
GRANT SELECT ON ledger_proven_days TO market_app;

CREATE TABLE account_openings (
  account_id  bigint NOT NULL,
  units       bigint NOT NULL,
  entries     bigint NOT NULL,
  CONSTRAINT account_openings_pkey PRIMARY KEY (account_id)
) WITH (fillfactor = 70);
GRANT SELECT ON account_openings TO market_app;

-- The ledger checks that were run with `market ledger check`, for metrics and alerts. Rows are written once.
CREATE TABLE ledger_checks (
  checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_full     boolean NOT NULL,
  -- Names of the proofs that failed; empty: the ledger is consistent
  failed      text[] NOT NULL,
  CONSTRAINT ledger_checks_pkey PRIMARY KEY (checked_at)
);
CREATE TRIGGER ledger_checks_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_checks FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON ledger_checks TO market_app;

-- disputes (0011_disputes.sql) --------------------------------------------------------------------------------------

CREATE TABLE disputes (
  dispute_id           text NOT NULL,
  invocation_id        text NOT NULL,
  buyer_user_id        text NOT NULL,
  developer_user_id    text NOT NULL,
  agent_id             text NOT NULL,
  reason               text NOT NULL,
  description          text NOT NULL,
  status               text NOT NULL,
  resolution           text,
  -- 1/100 credit that the buyer got back; 0 for a free call
  refunded_units       bigint NOT NULL DEFAULT 0,
  opened_at            timestamptz NOT NULL,
  respond_by           timestamptz,
  responded_at         timestamptz,
  statement_id         text,
  resolved_at          timestamptz,
  resolved_by          text,
  decision_id          text,
  trace_id             text NOT NULL,
  -- When a start of the workflow was last sent or confirmed; null: the sweep starts it
  workflow_started_at  timestamptz,
  CONSTRAINT disputes_pkey PRIMARY KEY (dispute_id),
  CONSTRAINT disputes_one_per_call UNIQUE (invocation_id),
  CONSTRAINT disputes_by_operator CHECK ((NOT resolution IS DISTINCT FROM 'operator') = (resolved_by IS NOT NULL)),
  CONSTRAINT disputes_dispute_id_check CHECK (dispute_id ~ '^dsp_[0-9a-f]{32}$'),
  CONSTRAINT disputes_reason_check CHECK (reason IN ('output_incorrect', 'no_response', 'schema_violation',
    'unauthorized', 'other')),
  CONSTRAINT disputes_refund CHECK (refunded_units = 0 OR (status IN ('accepted', 'won'))),
  CONSTRAINT disputes_refunded_units_check CHECK (refunded_units >= 0),
  CONSTRAINT disputes_resolution_check CHECK (resolution IN ('call_in_progress', 'developer_accepted',
    'developer_silent', 'offer_accepted', 'operator')),
  CONSTRAINT disputes_resolved CHECK ((status IN ('accepted', 'won', 'lost')) = (resolved_at IS NOT NULL)
    AND (resolved_at IS NULL) = (resolution IS NULL)),
  CONSTRAINT disputes_status_check CHECK (status IN ('open', 'accepted', 'contested', 'won', 'lost')),
  CONSTRAINT disputes_window CHECK ((NOT resolution IS DISTINCT FROM 'call_in_progress') = (respond_by IS NULL)),
  CONSTRAINT disputes_decision FOREIGN KEY (decision_id) REFERENCES dispute_texts(text_id),
  CONSTRAINT disputes_statement FOREIGN KEY (statement_id) REFERENCES dispute_texts(text_id)
);
CREATE INDEX disputes_buyer ON disputes (buyer_user_id, dispute_id DESC);
CREATE INDEX disputes_developer ON disputes (developer_user_id, dispute_id DESC);
CREATE INDEX disputes_unconfirmed ON disputes (COALESCE(workflow_started_at, '-infinity'::timestamptz))
  WHERE (status IN ('open', 'contested'));
CREATE INDEX disputes_undecided ON disputes (dispute_id) WHERE (status IN ('open', 'contested'));
CREATE INDEX disputes_waiting ON disputes (developer_user_id) WHERE (status = 'open');
CREATE TRIGGER disputes_event_opened AFTER INSERT ON disputes FOR EACH ROW EXECUTE FUNCTION event_of_dispute();
CREATE TRIGGER disputes_event_resolved AFTER UPDATE OF status ON disputes FOR EACH ROW
  WHEN (new.resolved_at IS NOT NULL AND old.resolved_at IS NULL) EXECUTE FUNCTION event_of_dispute();
CREATE TRIGGER disputes_guard BEFORE UPDATE ON disputes FOR EACH ROW EXECUTE FUNCTION dispute_guard();
CREATE TRIGGER disputes_operator_log AFTER UPDATE ON disputes FOR EACH ROW WHEN (old.resolved_by IS NULL
  AND new.resolved_by IS NOT NULL) EXECUTE FUNCTION operator_note_dispute();
GRANT SELECT, UPDATE (workflow_started_at) ON disputes TO market_app;

-- A developer's statement, an operator's reason. Written before the workflow is asked; the case then names the text
-- that counted.
CREATE TABLE dispute_texts (
  text_id         text NOT NULL,
  dispute_id      text NOT NULL,
  author_user_id  text NOT NULL,
  body            text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT dispute_texts_pkey PRIMARY KEY (text_id),
  CONSTRAINT dispute_texts_text_id_check CHECK (text_id ~ '^dst_[0-9a-f]{32}$'),
  CONSTRAINT dispute_texts_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(dispute_id)
);
CREATE INDEX dispute_texts_dispute ON dispute_texts (dispute_id);
GRANT SELECT, INSERT ON dispute_texts TO market_app;

-- What the buyer attached: the input and the output of the call. Deleted 90 days after the decision.
CREATE TABLE dispute_attachments (
  attachment_id  text NOT NULL,
  dispute_id     text NOT NULL,
  part           text NOT NULL,
  sealed         bytea NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT dispute_attachments_pkey PRIMARY KEY (attachment_id),
  CONSTRAINT dispute_attachments_dispute_id_part_key UNIQUE (dispute_id, part),
  CONSTRAINT dispute_attachments_attachment_id_check CHECK (attachment_id ~ '^dsa_[0-9a-f]{32}$'),
  CONSTRAINT dispute_attachments_part_check CHECK (part IN ('input', 'output')),
  CONSTRAINT dispute_attachments_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(dispute_id)
);
GRANT SELECT, INSERT, UPDATE (sealed) ON dispute_attachments TO market_app;

-- payouts (0012_payouts.sql) ----------------------------------------------------------------------------------------

-- Payout methods, tax forms and exchange rates are only added to: a payout names the method and the rate that it
-- was reserved with, so that later ones count from the next run on.
CREATE TABLE payout_methods (
  method_id          text NOT NULL,
  developer_user_id  text NOT NULL,
  method             text NOT NULL,
  -- Envelope-encrypted details; the context is the method id
  sealed             bytea,
  -- The details as people may read them
  masked             jsonb NOT NULL,
  -- When the bank returned a paid payout; the method is not used again
  returned_at        timestamptz,
  created_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payout_methods_pkey PRIMARY KEY (method_id),
  CONSTRAINT payout_methods_method_id_check CHECK (method_id ~ '^pmt_[0-9a-f]{32}$'),
  CONSTRAINT payout_methods_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id),
  CONSTRAINT payout_methods_rail FOREIGN KEY (method) REFERENCES payout_rails(method)
);
CREATE INDEX payout_methods_developer ON payout_methods (developer_user_id, method_id DESC);
GRANT SELECT, INSERT, UPDATE (sealed) ON payout_methods TO market_app;

CREATE TABLE tax_forms (
  form_id            text NOT NULL,
  developer_user_id  text NOT NULL,
  kind               text NOT NULL,
  -- Envelope-encrypted details; the context is the form id
  sealed             bytea NOT NULL,
  masked             jsonb NOT NULL,
  status             text NOT NULL DEFAULT 'submitted',
  submitted_at       timestamptz NOT NULL DEFAULT now(),
  reviewed_at        timestamptz,
  reviewed_by        text,
  review_reason      text,
  CONSTRAINT tax_forms_pkey PRIMARY KEY (form_id),
  CONSTRAINT tax_forms_form_id_check CHECK (form_id ~ '^tax_[0-9a-f]{32}$'),
  CONSTRAINT tax_forms_kind_check CHECK (kind IN ('w9', 'w8ben', 'w8bene')),
  CONSTRAINT tax_forms_review CHECK ((status = 'submitted') = (reviewed_at IS NULL)
    AND (reviewed_at IS NULL) = (reviewed_by IS NULL)),
  CONSTRAINT tax_forms_status_check CHECK (status IN ('submitted', 'accepted', 'rejected')),
  CONSTRAINT tax_forms_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id)
);
CREATE INDEX tax_forms_developer ON tax_forms (developer_user_id, form_id DESC);
CREATE INDEX tax_forms_waiting ON tax_forms (form_id DESC) WHERE (status = 'submitted');
CREATE TRIGGER tax_forms_notice AFTER UPDATE OF reviewed_by ON tax_forms FOR EACH ROW WHEN (old.reviewed_by IS NULL
  AND new.reviewed_by IS NOT NULL) EXECUTE FUNCTION tax_form_noted();
CREATE TRIGGER tax_forms_operator_log AFTER UPDATE ON tax_forms FOR EACH ROW WHEN (old.reviewed_by IS NULL
  AND new.reviewed_by IS NOT NULL) EXECUTE FUNCTION operator_note_tax_form();
GRANT SELECT, INSERT, UPDATE (sealed, status, reviewed_at, reviewed_by, review_reason) ON tax_forms TO market_app;

CREATE TABLE fx_rates (
  rate_id      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  base         text NOT NULL,
  quote        text NOT NULL,
  -- Spot: units of quote for one of base
  rate         numeric(14,6) NOT NULL,
  observed_at  timestamptz NOT NULL,
  source       text NOT NULL,
  loaded_by    text NOT NULL,
  loaded_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fx_rates_pkey PRIMARY KEY (rate_id),
  CONSTRAINT fx_rates_once UNIQUE (base, quote, observed_at),
  CONSTRAINT fx_rates_base_check CHECK (base = 'USD'),
  CONSTRAINT fx_rates_quote_check CHECK (quote IN ('INR', 'EUR', 'GBP')),
  CONSTRAINT fx_rates_rate_check CHECK (rate > 0::numeric)
);
CREATE TRIGGER fx_rates_operator_log AFTER INSERT ON fx_rates FOR EACH ROW WHEN (new.loaded_by LIKE 'usr\_%')
  EXECUTE FUNCTION operator_note_rate();
GRANT SELECT, INSERT ON fx_rates TO market_app;

-- What the source of exchange rates answered, one row per change; repetitions are counted (fx_fetch_record).
CREATE TABLE fx_fetches (
  fetch_id     text NOT NULL,
  source       text NOT NULL,
  outcome      text NOT NULL,
  reason       text,
  message      text,
  -- What the source said, also when it was not loaded
  rate         numeric(14,6),
  observed_at  timestamptz,
  first_at     timestamptz NOT NULL DEFAULT now(),
  last_at      timestamptz NOT NULL DEFAULT now(),
  -- Looks in a row that ended so
  times        integer NOT NULL DEFAULT 1,
  CONSTRAINT fx_fetches_pkey PRIMARY KEY (fetch_id),
  CONSTRAINT fx_fetches_fetch_id_check CHECK (fetch_id ~ '^fxf_[0-9a-f]{32}$'),
  CONSTRAINT fx_fetches_message_check CHECK (length(message) <= 300),
  CONSTRAINT fx_fetches_outcome_check CHECK (outcome IN ('loaded', 'unchanged', 'stale', 'rejected', 'failed')),
  CONSTRAINT fx_fetches_reason_check CHECK (length(reason) <= 40),
  CONSTRAINT fx_fetches_source_check CHECK (length(source) >= 1 AND length(source) <= 40),
  CONSTRAINT fx_fetches_times_check CHECK (times > 0),
  CONSTRAINT fx_fetches_why CHECK ((reason IS NULL) = (outcome IN ('loaded', 'unchanged')))
);
GRANT SELECT ON fx_fetches TO market_app;

-- One row per run: attempt 0 pays all developers of a Monday; each later attempt repeats one developer's share.
CREATE TABLE payout_runs (
  as_of              timestamptz NOT NULL,
  attempt            integer NOT NULL,
  developer_user_id  text,
  -- The workflow that carries out the run; null before it has begun
  workflow_id        text,
  begun_at           timestamptz NOT NULL DEFAULT now(),
  ended_at           timestamptz,
  CONSTRAINT payout_runs_pkey PRIMARY KEY (as_of, attempt),
  CONSTRAINT payout_runs_attempt_check CHECK (attempt >= 0),
  CONSTRAINT payout_runs_share CHECK ((attempt = 0) = (developer_user_id IS NULL))
);
CREATE INDEX payout_runs_open ON payout_runs (begun_at) WHERE (ended_at IS NULL);
GRANT SELECT ON payout_runs TO market_app;

CREATE TABLE payout_files (
  file_id      text NOT NULL,
  method       text NOT NULL,
  as_of        timestamptz NOT NULL,
  attempt      integer NOT NULL,
  name         text NOT NULL,
  payouts      integer NOT NULL,
  total_minor  bigint NOT NULL,
  currency     text NOT NULL,
  sha256       text NOT NULL,
  -- Envelope-encrypted bytes for the bank; the context is the file id
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payout_files_pkey PRIMARY KEY (file_id),
  CONSTRAINT payout_files_method_as_of_attempt_key UNIQUE (method, as_of, attempt),
  CONSTRAINT payout_files_payouts_check CHECK (payouts > 0),
  CONSTRAINT payout_files_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT payout_files_total_minor_check CHECK (total_minor > 0)
);
GRANT SELECT, UPDATE (sealed) ON payout_files TO market_app;

-- A transfer pays one address for one Monday, in USDC, by an authorization (EIP-3009) that is signed once and kept.
-- `unknown` is written before anything is sent; from then on the chain is read and nothing is sent again.
CREATE TABLE payout_transfers (
  transfer_id   text NOT NULL,
  as_of         timestamptz NOT NULL,
  attempt       integer NOT NULL,
  state         text NOT NULL DEFAULT 'pending',
  reason        text,
  network       text NOT NULL,
  asset         text NOT NULL,
  treasury      text NOT NULL,
  nonce         text NOT NULL,
  payouts       integer NOT NULL,
  total_minor   bigint NOT NULL,
  valid_before  timestamptz NOT NULL,
  -- No earlier block can hold the use of the authorization
  from_block    bigint NOT NULL,
  -- Envelope-encrypted authorization with its signature; the context is the id
  sealed        bytea NOT NULL,
  tx_hash       text,
  sent_at       timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  CONSTRAINT payout_transfers_pkey PRIMARY KEY (transfer_id),
  CONSTRAINT payout_transfers_nonce UNIQUE (network, asset, treasury, nonce),
  CONSTRAINT payout_transfers_confirmed CHECK (state <> 'confirmed' OR tx_hash IS NOT NULL),
  CONSTRAINT payout_transfers_end CHECK ((state IN ('confirmed', 'failed')) = (ended_at IS NOT NULL)),
  CONSTRAINT payout_transfers_failed CHECK (state <> 'failed' OR reason IS NOT NULL),
  CONSTRAINT payout_transfers_from_block_check CHECK (from_block >= 0),
  CONSTRAINT payout_transfers_network_check CHECK (network ~ '^eip155:[0-9]+$'),
  CONSTRAINT payout_transfers_nonce_check CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
  CONSTRAINT payout_transfers_payouts_check CHECK (payouts > 0),
  CONSTRAINT payout_transfers_state_check CHECK (state IN ('pending', 'unknown', 'submitted', 'confirmed',
    'failed')),
  CONSTRAINT payout_transfers_total_minor_check CHECK (total_minor > 0),
  CONSTRAINT payout_transfers_transfer_id_check CHECK (transfer_id ~ '^usdc-[0-9]{8}-[0-9]+-[0-9a-f]{32}$'),
  CONSTRAINT payout_transfers_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$')
);
CREATE INDEX payout_transfers_run ON payout_transfers (as_of, attempt, transfer_id);
CREATE TRIGGER payout_transfer_moves BEFORE UPDATE ON payout_transfers FOR EACH ROW
  EXECUTE FUNCTION payout_transfer_moves();
CREATE TRIGGER payout_transfers_never_deleted BEFORE DELETE OR TRUNCATE ON payout_transfers FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, UPDATE (sealed) ON payout_transfers TO market_app;

CREATE TABLE payouts (
  payout_id          text NOT NULL,
  developer_user_id  text NOT NULL,
  as_of              timestamptz NOT NULL,
  attempt            integer NOT NULL DEFAULT 0,
  period_start       timestamptz NOT NULL,
  status             text NOT NULL,
  reason             text,
  method             text,
  method_id          text,
  lots_units         bigint NOT NULL,
  carried_units      bigint NOT NULL,
  amount_units       bigint NOT NULL,
  remainder_units    bigint NOT NULL,
  amount_minor       bigint,
  currency           text,
  spot_rate          numeric(14,6),
  rate               numeric(18,9),
  rate_at            timestamptz,
  file_id            text,
  reference          text,
  trace_id           text,
  initiated_at       timestamptz NOT NULL DEFAULT now(),
  completed_at       timestamptz,
  -- Address of agents whose price was set in USD; empty: the developer's own method
  pay_to             text NOT NULL DEFAULT '',
  transfer_id        text,
  -- Number of lots; they mature from lots_from to lots_until
  lots               integer NOT NULL DEFAULT 0,
  lots_from          timestamptz,
  lots_until         timestamptz,
  -- Transactions in which the lots were taken
  steps              integer NOT NULL DEFAULT 0,
  CONSTRAINT payouts_pkey PRIMARY KEY (payout_id),
  CONSTRAINT payouts_once UNIQUE (developer_user_id, as_of, attempt, pay_to),
  CONSTRAINT payouts_amount_units_check CHECK (amount_units > 0),
  CONSTRAINT payouts_attempt_check CHECK (attempt >= 0),
  CONSTRAINT payouts_carried_units_check CHECK (carried_units >= 0),
  CONSTRAINT payouts_end CHECK ((status IN ('paid', 'failed', 'returned',
    'rolled_over')) = (completed_at IS NOT NULL)),
  CONSTRAINT payouts_filed CHECK (status <> 'processing' OR num_nonnulls(file_id, reference, transfer_id) > 0),
  CONSTRAINT payouts_lots_check CHECK (lots >= 0),
  CONSTRAINT payouts_lots_units_check CHECK (lots_units >= 0),
  CONSTRAINT payouts_pay_to_check CHECK (pay_to = '' OR pay_to ~ '^0x[0-9a-fA-F]{40}$'),
  CONSTRAINT payouts_payout_id_check CHECK (payout_id ~ '^pay_[0-9a-f]{32}$'),
  CONSTRAINT payouts_reason CHECK ((status IN ('failed', 'returned', 'rolled_over')) = (reason IS NOT NULL)),
  CONSTRAINT payouts_remainder_units_check CHECK (remainder_units >= 0),
  CONSTRAINT payouts_reserved CHECK ((status IN ('rolled_over', 'reserving', 'failed')) OR num_nulls(method,
    amount_minor, currency) = 0 AND amount_minor > 0 AND (method_id IS NOT NULL OR pay_to <> '')),
  CONSTRAINT payouts_status_check CHECK (status IN ('reserving', 'pending', 'processing', 'paid', 'returned',
    'failed', 'rolled_over')),
  CONSTRAINT payouts_steps_check CHECK (steps >= 0),
  CONSTRAINT payouts_whole CHECK ((lots_units + carried_units) = (amount_units + remainder_units)),
  CONSTRAINT payouts_file_id_fkey FOREIGN KEY (file_id) REFERENCES payout_files(file_id),
  CONSTRAINT payouts_method_id_fkey FOREIGN KEY (method_id) REFERENCES payout_methods(method_id),
  CONSTRAINT payouts_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES payout_transfers(transfer_id)
);
CREATE INDEX payouts_developer ON payouts (developer_user_id, payout_id DESC);
CREATE INDEX payouts_file ON payouts (file_id, payout_id) WHERE (file_id IS NOT NULL);
CREATE INDEX payouts_open ON payouts (payout_id) WHERE (status IN ('reserving', 'pending', 'processing'));
CREATE INDEX payouts_run ON payouts (as_of, attempt, method, payout_id);
CREATE INDEX payouts_status ON payouts (status, payout_id DESC);
CREATE INDEX payouts_transfer ON payouts (transfer_id, payout_id) WHERE (transfer_id IS NOT NULL);
CREATE INDEX payouts_week ON payouts (as_of, payout_id DESC);
CREATE TRIGGER payouts_never_deleted BEFORE DELETE OR TRUNCATE ON payouts FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER payouts_waiting_notice AFTER INSERT OR UPDATE OF status ON payouts FOR EACH ROW
  WHEN (new.status = 'rolled_over' AND (new.reason IN ('no_payout_method', 'method_unavailable', 'method_returned',
  'tax_form_required'))) EXECUTE FUNCTION payout_waits_noted();
GRANT SELECT ON payouts TO market_app;

-- Where the unpaid lots of a developer begin, for each destination: every lot at or before the cursor that belongs to
-- the destination is in a payout, used up, or late. A lot is late when a cursor may pass it although it is unpaid: it
-- is disputed, or it matures within an hour of its capture. Later lots cannot be behind a cursor, which never passes
-- the present.
CREATE TABLE payout_cursors (
  developer_user_id  text NOT NULL,
  pay_to             text NOT NULL,
  -- The agents that pay_to is for, or that the developer's own method is not for
  agents             text[] NOT NULL,
  matures_at         timestamptz NOT NULL DEFAULT '-infinity'::timestamptz,
  invocation_id      text NOT NULL DEFAULT '',
  -- The run that is reading lots, and how far it has read them
  run                text,
  run_matures_at     timestamptz,
  run_invocation_id  text,
  CONSTRAINT payout_cursors_pkey PRIMARY KEY (developer_user_id, pay_to)
);
GRANT SELECT ON payout_cursors TO market_app;

-- What payout_id gave back to the developer and into_payout_id took along
CREATE TABLE payout_carries (
  payout_id          text NOT NULL,
  kind               text NOT NULL,
  developer_user_id  text NOT NULL,
  amount_units       bigint NOT NULL,
  recovered_units    bigint NOT NULL DEFAULT 0,
  into_payout_id     text,
  created_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payout_carries_pkey PRIMARY KEY (payout_id, kind),
  CONSTRAINT payout_carries_amount_units_check CHECK (amount_units > 0),
  CONSTRAINT payout_carries_kind_check CHECK (kind IN ('remainder', 'returned')),
  CONSTRAINT payout_carries_recovered CHECK (recovered_units >= 0 AND recovered_units <= amount_units),
  CONSTRAINT payout_carries_into_payout_id_fkey FOREIGN KEY (into_payout_id) REFERENCES payouts(payout_id),
  CONSTRAINT payout_carries_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(payout_id)
);
CREATE INDEX payout_carries_into ON payout_carries (into_payout_id) WHERE (into_payout_id IS NOT NULL);
CREATE INDEX payout_carries_open ON payout_carries (developer_user_id) WHERE (into_payout_id IS NULL);
CREATE TRIGGER payout_carries_guard BEFORE UPDATE ON payout_carries FOR EACH ROW
  WHEN (new.into_payout_id IS DISTINCT FROM old.into_payout_id) EXECUTE FUNCTION payout_guard_carry();
GRANT SELECT ON payout_carries TO market_app;

-- bonds (0013_bonds.sql) --------------------------------------------------------------------------------------------

CREATE TABLE bonds (
  developer_user_id        text NOT NULL,
  -- The highest minimum reached at the last deposit or withdrawal; slashes leave it
  tier                     text,
  shortfall_slash_id       text,
  shortfall_minimum_units  bigint,
  shortfall_since          timestamptz,
  shortfall_deadline       timestamptz,
  -- When the time to top up was over: the agents are out of search
  shortfall_ended_at       timestamptz,
  updated_at               timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT bonds_pkey PRIMARY KEY (developer_user_id),
  CONSTRAINT bonds_shortfall CHECK ((num_nulls(shortfall_slash_id, shortfall_minimum_units, shortfall_since,
    shortfall_deadline) IN (0, 4)) AND (shortfall_ended_at IS NULL OR shortfall_slash_id IS NOT NULL)),
  CONSTRAINT bonds_tier_check CHECK (tier IN ('basic', 'standard', 'premium')),
  CONSTRAINT bonds_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id)
);
CREATE INDEX bonds_short ON bonds (shortfall_slash_id) WHERE ((shortfall_slash_id IS NOT NULL)
  AND (shortfall_ended_at IS NULL));
GRANT SELECT ON bonds TO market_app;

CREATE TABLE bond_withdrawals (
  withdrawal_id        text NOT NULL,
  developer_user_id    text NOT NULL,
  requested_units      bigint NOT NULL,
  -- noticed: under notice; waiting: the notice is over, a slash is not decided; void: the bond held nothing any more
  status               text NOT NULL DEFAULT 'noticed',
  paid_units           bigint,
  requested_at         timestamptz NOT NULL,
  due_at               timestamptz NOT NULL,
  completed_at         timestamptz,
  trace_id             text NOT NULL,
  workflow_started_at  timestamptz,
  CONSTRAINT bond_withdrawals_pkey PRIMARY KEY (withdrawal_id),
  CONSTRAINT bond_withdrawals_check CHECK (paid_units >= 0 AND paid_units <= requested_units),
  CONSTRAINT bond_withdrawals_end CHECK ((status IN ('paid', 'void')) = (completed_at IS NOT NULL)
    AND (status = 'paid') = (COALESCE(paid_units, 0::bigint) > 0)
    AND (paid_units IS NULL) = (completed_at IS NULL)),
  CONSTRAINT bond_withdrawals_requested_units_check CHECK (requested_units > 0),
  CONSTRAINT bond_withdrawals_status_check CHECK (status IN ('noticed', 'waiting', 'paid', 'void')),
  CONSTRAINT bond_withdrawals_withdrawal_id_check CHECK (withdrawal_id ~ '^bwd_[0-9a-f]{32}$'),
  CONSTRAINT bond_withdrawals_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id)
);
CREATE INDEX bond_withdrawals_developer ON bond_withdrawals (developer_user_id, withdrawal_id DESC);
CREATE INDEX bond_withdrawals_noticed ON bond_withdrawals (withdrawal_id) WHERE (status = 'noticed');
CREATE INDEX bond_withdrawals_unconfirmed ON bond_withdrawals (COALESCE(workflow_started_at,
  '-infinity'::timestamptz)) WHERE (status = 'noticed');
GRANT SELECT, UPDATE (workflow_started_at) ON bond_withdrawals TO market_app;

CREATE TABLE developer_notices (
  notice_id          text NOT NULL,
  developer_user_id  text NOT NULL,
  kind               text NOT NULL,
  slash_id           text,
  agent_id           text,
  data               jsonb NOT NULL,
  at                 timestamptz NOT NULL,
  CONSTRAINT developer_notices_pkey PRIMARY KEY (notice_id),
  CONSTRAINT developer_notices_kind_check CHECK (kind IN ('slash_applied', 'slash_final', 'slash_overturned',
    'bond_shortfall', 'bond_delisted', 'bond_restored', 'bond_released', 'finding_waived', 'contest_refused',
    'waiver_ended', 'rubric_announced')),
  CONSTRAINT developer_notices_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id)
);
CREATE INDEX developer_notices_developer ON developer_notices (developer_user_id, notice_id DESC);
GRANT SELECT ON developer_notices TO market_app;

-- A slash takes what it can refund (ADR 0190): at most the rest of its calls' charges, unless it has no refunds; the
-- platform keeps such a penalty. What left the bond is amount_units − returned_units.
CREATE TABLE slashes (
  slash_id             text NOT NULL,
  developer_user_id    text NOT NULL,
  agent_id             text NOT NULL,
  status               text NOT NULL DEFAULT 'applied',
  resolution           text,
  requested_units      bigint NOT NULL,
  -- What left the bond when the slash was applied
  amount_units         bigint NOT NULL,
  -- Who gets the amount: the buyers of the calls (affected), the platform (none), or the buyers of a month (warranty)
  refund               text NOT NULL DEFAULT 'affected',
  -- Of a final slash: what came back to the bond, because the calls had been refunded otherwise by then
  returned_units       bigint NOT NULL DEFAULT 0,
  explanation          text NOT NULL,
  evidence             jsonb NOT NULL,
  applied_by           text NOT NULL,
  applied_at           timestamptz NOT NULL,
  counter_by           timestamptz NOT NULL,
  top_up_ms            bigint NOT NULL,
  countered_at         timestamptz,
  counter_id           text,
  resolved_at          timestamptz,
  resolved_by          text,
  decision_id          text,
  -- Until when the bond must be topped up, when this slash left a shortfall
  top_up_by            timestamptz,
  trace_id             text NOT NULL,
  workflow_started_at  timestamptz,
  CONSTRAINT slashes_pkey PRIMARY KEY (slash_id),
  CONSTRAINT slashes_amount CHECK (amount_units <= requested_units),
  CONSTRAINT slashes_amount_units_check CHECK (amount_units > 0),
  CONSTRAINT slashes_countered CHECK ((countered_at IS NULL) = (counter_id IS NULL)),
  CONSTRAINT slashes_refund_check CHECK (refund IN ('affected', 'none', 'warranty')),
  CONSTRAINT slashes_requested_units_check CHECK (requested_units > 0),
  CONSTRAINT slashes_resolution_check CHECK (resolution IN ('developer_silent', 'operator')),
  CONSTRAINT slashes_resolved CHECK ((status IN ('final', 'overturned')) = (resolved_at IS NOT NULL)
    AND (resolved_at IS NULL) = (resolution IS NULL)
    AND (NOT resolution IS DISTINCT FROM 'operator') = (resolved_by IS NOT NULL)),
  CONSTRAINT slashes_returned CHECK (returned_units >= 0 AND returned_units <= amount_units AND (returned_units = 0
    OR status = 'final' AND (refund IN ('affected', 'warranty')))),
  CONSTRAINT slashes_slash_id_check CHECK (slash_id ~ '^slh_[0-9a-f]{32}$'),
  CONSTRAINT slashes_status_check CHECK (status IN ('applied', 'contested', 'final', 'overturned')),
  CONSTRAINT slashes_top_up CHECK (top_up_by IS NULL OR status = 'final'),
  CONSTRAINT slashes_top_up_ms_check CHECK (top_up_ms > 0),
  CONSTRAINT slashes_counter FOREIGN KEY (counter_id) REFERENCES slash_texts(text_id),
  CONSTRAINT slashes_decision FOREIGN KEY (decision_id) REFERENCES slash_texts(text_id),
  CONSTRAINT slashes_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id)
);
CREATE INDEX slashes_agent ON slashes (agent_id, slash_id DESC);
CREATE INDEX slashes_developer ON slashes (developer_user_id, slash_id DESC);
CREATE INDEX slashes_unconfirmed ON slashes (COALESCE(workflow_started_at, '-infinity'::timestamptz))
  WHERE (status IN ('applied', 'contested'));
CREATE INDEX slashes_undecided ON slashes (slash_id) WHERE (status IN ('applied', 'contested'));
CREATE TRIGGER slashes_applied AFTER INSERT ON slashes FOR EACH ROW EXECUTE FUNCTION slash_action();
CREATE TRIGGER slashes_decided AFTER UPDATE OF status ON slashes FOR EACH ROW WHEN (new.resolved_by IS NOT NULL
  AND old.resolved_by IS NULL) EXECUTE FUNCTION slash_action();
CREATE TRIGGER slashes_guard BEFORE UPDATE ON slashes FOR EACH ROW EXECUTE FUNCTION slash_guard();
GRANT SELECT, UPDATE (workflow_started_at) ON slashes TO market_app;

CREATE TABLE slash_calls (
  slash_id       text NOT NULL,
  invocation_id  text NOT NULL,
  buyer_user_id  text NOT NULL,
  -- The charge that was not refunded yet, when the slash was applied
  weight_units   bigint NOT NULL,
  refund_units   bigint,
  CONSTRAINT slash_calls_pkey PRIMARY KEY (slash_id, invocation_id),
  CONSTRAINT slash_calls_refund_units_check CHECK (refund_units >= 0),
  CONSTRAINT slash_calls_weight_units_check CHECK (weight_units >= 0),
  CONSTRAINT slash_calls_slash_id_fkey FOREIGN KEY (slash_id) REFERENCES slashes(slash_id)
);
CREATE INDEX slash_calls_invocation ON slash_calls (invocation_id) WHERE (refund_units > 0);
GRANT SELECT ON slash_calls TO market_app;

-- A developer's counter-argument, an operator's reason. Written before the workflow is asked; the slash then names
-- the text that counted.
CREATE TABLE slash_texts (
  text_id         text NOT NULL,
  slash_id        text NOT NULL,
  author_user_id  text NOT NULL,
  body            text NOT NULL,
  evidence        jsonb,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT slash_texts_pkey PRIMARY KEY (text_id),
  CONSTRAINT slash_texts_text_id_check CHECK (text_id ~ '^slt_[0-9a-f]{32}$'),
  CONSTRAINT slash_texts_slash_id_fkey FOREIGN KEY (slash_id) REFERENCES slashes(slash_id)
);
CREATE INDEX slash_texts_slash ON slash_texts (slash_id);
GRANT SELECT, INSERT ON slash_texts TO market_app;

-- Idempotency keys of operators. A key is written in the transaction of its slash (slash_order).
CREATE TABLE slash_keys (
  operator_user_id  text NOT NULL,
  idempotency_key   text NOT NULL,
  request_sha256    text NOT NULL,
  slash_id          text NOT NULL,
  CONSTRAINT slash_keys_pkey PRIMARY KEY (operator_user_id, idempotency_key),
  CONSTRAINT slash_keys_slash_id_key UNIQUE (slash_id),
  CONSTRAINT slash_keys_idempotency_key_check CHECK (length(idempotency_key) >= 1
    AND length(idempotency_key) <= 255),
  CONSTRAINT slash_keys_request_sha256_check CHECK (request_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT slash_keys_slash_id_fkey FOREIGN KEY (slash_id)
    REFERENCES slashes(slash_id) DEFERRABLE INITIALLY DEFERRED
);

-- verification (0014_verification.sql) ------------------------------------------------------------------------------

-- A rubric whose weights differ from those in effect takes effect 30 days after its publication at the earliest.
-- The functions rubric_… are the only way to write here.
CREATE TABLE rubrics (
  version          text NOT NULL,
  sequence         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- Canonical JSON (src/domain/verification/rubric.ts)
  document         text NOT NULL,
  changelog        text NOT NULL,
  weights_changed  boolean NOT NULL,
  published_at     timestamptz NOT NULL DEFAULT now(),
  comment_ends_at  timestamptz NOT NULL,
  -- Written by the workflow that waited, by its clock; null: announced only
  effective_at     timestamptz,
  rolled_out_at    timestamptz,
  withdrawn_at     timestamptz,
  -- Where the change is discussed during its comment period
  rfc_url          text,
  CONSTRAINT rubrics_pkey PRIMARY KEY (version),
  CONSTRAINT rubrics_sequence_key UNIQUE (sequence),
  CONSTRAINT rubric_comment_period CHECK (NOT weights_changed
    OR comment_ends_at >= (published_at + '30 days'::interval)),
  CONSTRAINT rubric_effective_after_comments CHECK (effective_at IS NULL OR effective_at >= comment_ends_at),
  CONSTRAINT rubrics_rfc_url_check CHECK (rfc_url ~ '^https://[!-~]+$' AND length(rfc_url) <= 2000),
  CONSTRAINT rubrics_version_check CHECK (version ~ '^[0-9]{4}[.][1-9][0-9]{0,3}$')
);
GRANT SELECT ON rubrics TO market_app;

-- The agents that the rollout of a rubric has asked to verify again.
CREATE TABLE rubric_asks (
  version   text NOT NULL,
  agent_id  text NOT NULL,
  asked_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT rubric_asks_pkey PRIMARY KEY (version, agent_id),
  CONSTRAINT rubric_asks_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT rubric_asks_version_fkey FOREIGN KEY (version) REFERENCES rubrics(version)
);
GRANT SELECT, INSERT ON rubric_asks TO market_app;

-- A run that failed by a fault of the service is `faulted`, and its evidence is not scored.
CREATE TABLE verification_runs (
  run_id       text NOT NULL,
  sequence     bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  agent_id     text NOT NULL,
  version_id   text NOT NULL,
  reason       text NOT NULL,
  state        text NOT NULL DEFAULT 'running',
  evidence     text,
  summary      text,
  started_at   timestamptz NOT NULL DEFAULT now(),
  finished_at  timestamptz,
  CONSTRAINT verification_runs_pkey PRIMARY KEY (run_id),
  CONSTRAINT verification_runs_sequence_key UNIQUE (sequence),
  CONSTRAINT verification_runs_check CHECK ((state = 'running') = (finished_at IS NULL)),
  CONSTRAINT verification_runs_run_id_check CHECK (run_id ~ '^ver_[0-9a-f]{32}$'),
  CONSTRAINT verification_runs_state_check CHECK (state IN ('running', 'passed', 'failed', 'faulted')),
  CONSTRAINT verification_runs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT verification_runs_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX verification_runs_agent ON verification_runs (agent_id, sequence DESC);
GRANT SELECT, INSERT, UPDATE ON verification_runs TO market_app;

CREATE TABLE verification_evidence (
  run_id     text NOT NULL,
  stage      text NOT NULL,
  evidence   text NOT NULL,
  stored_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT verification_evidence_pkey PRIMARY KEY (run_id, stage),
  CONSTRAINT verification_evidence_stage_check CHECK (stage IN ('static', 'supplyChain', 'dynamic', 'redTeam')),
  CONSTRAINT verification_evidence_run_id_fkey FOREIGN KEY (run_id) REFERENCES verification_runs(run_id)
);
GRANT SELECT, INSERT ON verification_evidence TO market_app;

-- Probes between runs, and periods in which buyers' calls failed (code 'buyers') or succeeded again. A behaviour
-- finding stays until as many later ones match as differed.
CREATE TABLE verification_reprobes (
  sequence    bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  reprobe_id  text NOT NULL,
  agent_id    text NOT NULL,
  version_id  text NOT NULL,
  code        text NOT NULL,
  reached     boolean NOT NULL,
  run_id      text,
  made_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT verification_reprobes_pkey PRIMARY KEY (sequence),
  CONSTRAINT verification_reprobes_reprobe_id_key UNIQUE (reprobe_id),
  CONSTRAINT verification_reprobes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT verification_reprobes_run_id_fkey FOREIGN KEY (run_id) REFERENCES verification_runs(run_id),
  CONSTRAINT verification_reprobes_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX verification_reprobes_agent ON verification_reprobes (agent_id, sequence DESC);
CREATE INDEX verification_reprobes_open ON verification_reprobes (version_id) WHERE (run_id IS NULL);
CREATE INDEX verification_reprobes_run ON verification_reprobes (run_id) WHERE (run_id IS NOT NULL);
GRANT SELECT, INSERT, UPDATE (run_id) ON verification_reprobes TO market_app;

-- Agents whose buyers' calls (buyer_days, 0016) are to be looked at. `bad_…` is the last period in which too many
-- failed.
CREATE TABLE agent_call_tallies (
  agent_id    text NOT NULL,
  is_due      boolean NOT NULL DEFAULT true,
  bad_calls   integer,
  bad_failed  integer,
  bad_code    text,
  CONSTRAINT agent_call_tallies_pkey PRIMARY KEY (agent_id)
);
CREATE INDEX agent_call_tallies_due ON agent_call_tallies (agent_id) WHERE is_due;
GRANT SELECT, INSERT, UPDATE ON agent_call_tallies TO market_app;

CREATE TABLE trust_reports (
  run_id                text NOT NULL,
  sequence              bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  agent_id              text NOT NULL,
  version_id            text NOT NULL,
  rubric_version        text NOT NULL,
  evidence_sha256       text NOT NULL,
  -- Canonical JSON of what the rubric made of the evidence; the same again gives the same bytes
  judgement             text NOT NULL,
  score                 integer NOT NULL,
  -- By the rubric alone; badge: capped by the bond at that time
  earned_badge          text,
  badge                 text,
  has_critical          boolean NOT NULL,
  -- Of the version that serves; others are for the owner only
  counts                boolean NOT NULL,
  verified_at           timestamptz NOT NULL DEFAULT now(),
  next_verification_at  timestamptz NOT NULL,
  CONSTRAINT trust_reports_pkey PRIMARY KEY (run_id),
  CONSTRAINT trust_reports_sequence_key UNIQUE (sequence),
  CONSTRAINT trust_reports_badge_check CHECK (badge IN ('basic', 'standard', 'premium')),
  CONSTRAINT trust_reports_check CHECK (NOT has_critical OR earned_badge IS NULL),
  CONSTRAINT trust_reports_earned_badge_check CHECK (earned_badge IN ('basic', 'standard', 'premium')),
  CONSTRAINT trust_reports_score_check CHECK (score >= 0 AND score <= 100),
  CONSTRAINT trust_reports_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT trust_reports_rubric_version_fkey FOREIGN KEY (rubric_version) REFERENCES rubrics(version),
  CONSTRAINT trust_reports_run_id_fkey FOREIGN KEY (run_id) REFERENCES verification_runs(run_id),
  CONSTRAINT trust_reports_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX trust_reports_agent ON trust_reports (agent_id, sequence DESC);
CREATE INDEX trust_reports_counting ON trust_reports (agent_id, sequence DESC) WHERE counts;
GRANT SELECT, INSERT ON trust_reports TO market_app;

CREATE TABLE findings (
  finding_id      text NOT NULL,
  agent_id        text NOT NULL,
  -- serving: of the version that serves; candidate: of versions that were rejected
  line            text NOT NULL,
  fingerprint     text NOT NULL,
  stage           text NOT NULL,
  severity        text NOT NULL,
  category        text NOT NULL,
  description     text NOT NULL,
  risk            text NOT NULL,
  remediation     text NOT NULL,
  -- Digest of what was found; with the fingerprint, it says what a waiver covers
  mark            text NOT NULL,
  place           jsonb,
  invocation_id   text,
  points_lost     numeric NOT NULL,
  -- The waiver that held in the last run that saw the finding
  waiver_id       text,
  status          text NOT NULL DEFAULT 'open',
  first_run_id    text NOT NULL,
  last_run_id     text NOT NULL,
  first_seen_at   timestamptz NOT NULL DEFAULT now(),
  status_since    timestamptz NOT NULL DEFAULT now(),
  times_reopened  integer NOT NULL DEFAULT 0,
  CONSTRAINT findings_pkey PRIMARY KEY (finding_id),
  CONSTRAINT findings_agent_id_line_fingerprint_key UNIQUE (agent_id, line, fingerprint),
  CONSTRAINT findings_finding_id_check CHECK (finding_id ~ '^fnd_[0-9a-f]{32}$'),
  CONSTRAINT findings_line_check CHECK (line IN ('serving', 'candidate')),
  CONSTRAINT findings_severity_check CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  CONSTRAINT findings_stage_check CHECK (stage IN ('static_analysis', 'supply_chain', 'dynamic_testing',
    'red_team')),
  CONSTRAINT findings_status_check CHECK (status IN ('open', 'acknowledged', 'resolved')),
  CONSTRAINT findings_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT findings_first_run_id_fkey FOREIGN KEY (first_run_id) REFERENCES verification_runs(run_id),
  CONSTRAINT findings_last_run_id_fkey FOREIGN KEY (last_run_id) REFERENCES verification_runs(run_id)
);
CREATE TRIGGER finding_status_moves BEFORE UPDATE OF status ON findings FOR EACH ROW
  EXECUTE FUNCTION finding_status_moves();
GRANT SELECT, INSERT, UPDATE ON findings TO market_app;

-- An operator's decision that a finding costs nothing until a date. It covers the finding as it was seen: the same
-- fingerprint and mark. asked_at: when a run was requested because it began or ended.
CREATE TABLE finding_waivers (
  waiver_id    text NOT NULL,
  agent_id     text NOT NULL,
  finding_id   text NOT NULL,
  fingerprint  text NOT NULL,
  mark         text NOT NULL,
  reason       text NOT NULL,
  granted_by   text NOT NULL,
  granted_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz,
  ended_by     text,
  end_reason   text,
  asked_at     timestamptz,
  CONSTRAINT finding_waivers_pkey PRIMARY KEY (waiver_id),
  CONSTRAINT finding_waivers_end CHECK ((ended_by IS NULL) = (end_reason IS NULL) AND (ended_by IS NULL
    OR ended_at IS NOT NULL)),
  CONSTRAINT finding_waivers_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 4000),
  CONSTRAINT finding_waivers_term CHECK (expires_at > granted_at
    AND expires_at <= (granted_at + '366 days'::interval)),
  CONSTRAINT finding_waivers_waiver_id_check CHECK (waiver_id ~ '^fwv_[0-9a-f]{32}$'),
  CONSTRAINT finding_waivers_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT finding_waivers_ended_by_fkey FOREIGN KEY (ended_by) REFERENCES users(user_id),
  CONSTRAINT finding_waivers_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES findings(finding_id),
  CONSTRAINT finding_waivers_granted_by_fkey FOREIGN KEY (granted_by) REFERENCES users(user_id)
);
CREATE INDEX finding_waivers_agent ON finding_waivers (agent_id, waiver_id DESC);
CREATE INDEX finding_waivers_expiring ON finding_waivers (expires_at) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX finding_waivers_holding ON finding_waivers (agent_id, fingerprint, mark)
  WHERE (ended_at IS NULL);
CREATE INDEX finding_waivers_unasked ON finding_waivers (waiver_id) WHERE (asked_at IS NULL);
GRANT SELECT, INSERT, UPDATE (ended_at, ended_by, end_reason, asked_at) ON finding_waivers TO market_app;

CREATE TABLE finding_contests (
  contest_id         text NOT NULL,
  agent_id           text NOT NULL,
  finding_id         text NOT NULL,
  developer_user_id  text NOT NULL,
  status             text NOT NULL DEFAULT 'open',
  statement          text NOT NULL,
  opened_at          timestamptz NOT NULL DEFAULT now(),
  decided_at         timestamptz,
  decided_by         text,
  decision_reason    text,
  waiver_id          text,
  CONSTRAINT finding_contests_pkey PRIMARY KEY (contest_id),
  CONSTRAINT finding_contests_contest_id_check CHECK (contest_id ~ '^fct_[0-9a-f]{32}$'),
  CONSTRAINT finding_contests_decision CHECK ((status = 'open') = (decided_at IS NULL)
    AND (decided_at IS NULL) = (decided_by IS NULL) AND (decided_at IS NULL) = (decision_reason IS NULL)
    AND (status = 'accepted') = (waiver_id IS NOT NULL)),
  CONSTRAINT finding_contests_statement_check CHECK (length(statement) >= 1 AND length(statement) <= 4000),
  CONSTRAINT finding_contests_status_check CHECK (status IN ('open', 'accepted', 'refused')),
  CONSTRAINT finding_contests_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT finding_contests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(user_id),
  CONSTRAINT finding_contests_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id),
  CONSTRAINT finding_contests_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES findings(finding_id),
  CONSTRAINT finding_contests_waiver_id_fkey FOREIGN KEY (waiver_id) REFERENCES finding_waivers(waiver_id)
);
CREATE INDEX finding_contests_developer ON finding_contests (developer_user_id, contest_id);
CREATE INDEX finding_contests_finding ON finding_contests (finding_id, contest_id DESC);
CREATE UNIQUE INDEX finding_contests_open ON finding_contests (finding_id) WHERE (status = 'open');
CREATE INDEX finding_contests_status ON finding_contests (status, contest_id DESC);
CREATE INDEX finding_contests_waiting ON finding_contests (developer_user_id) WHERE (status = 'open');
GRANT SELECT, INSERT, UPDATE (status, decided_at, decided_by, decision_reason, waiver_id) ON finding_contests
  TO market_app;

-- OSV records by package. An import queues every package of which it changed something, in the same transaction;
-- the sweep takes from the queue, finds the versions that are hit, and has their agents verified again. A scan
-- writes the packages of its version before it reads advisories, so that the scan sees an advisory or the sweep
-- sees the version.
CREATE TABLE advisories (
  ecosystem    text NOT NULL,
  package      text NOT NULL,
  advisory_id  text NOT NULL,
  severity     text NOT NULL,
  summary      text NOT NULL,
  modified     timestamptz NOT NULL,
  -- JSON {versions, ranges}: src/verification/packages/osv.ts
  affected     text NOT NULL,
  CONSTRAINT advisories_pkey PRIMARY KEY (ecosystem, package, advisory_id),
  CONSTRAINT advisories_ecosystem_check CHECK (ecosystem IN ('npm', 'PyPI')),
  CONSTRAINT advisories_severity_check CHECK (severity IN ('critical', 'high', 'medium', 'low'))
);
CREATE INDEX advisories_id ON advisories (advisory_id);
CREATE INDEX advisories_malicious ON advisories (ecosystem) WHERE (advisory_id LIKE 'MAL-%');
GRANT SELECT, INSERT, UPDATE, DELETE ON advisories TO market_app;

-- Ecosystems of which all records were imported. Others are not covered, whatever single records there are.
CREATE TABLE advisory_sets (
  ecosystem    text NOT NULL,
  source       text NOT NULL,
  -- When the newest record was changed; reports name it
  data_date    timestamptz NOT NULL,
  complete_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT advisory_sets_pkey PRIMARY KEY (ecosystem),
  CONSTRAINT advisory_sets_ecosystem_check CHECK (ecosystem IN ('npm', 'PyPI'))
);
GRANT SELECT, INSERT, UPDATE ON advisory_sets TO market_app;

CREATE TABLE advisory_changes (
  ecosystem    text NOT NULL,
  package      text NOT NULL,
  advisory_id  text NOT NULL,
  queued_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT advisory_changes_pkey PRIMARY KEY (ecosystem, package, advisory_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON advisory_changes TO market_app;

-- What the lockfiles of a version pin, from its last scan
CREATE TABLE version_packages (
  version_id  text NOT NULL,
  ecosystem   text NOT NULL,
  package     text NOT NULL,
  version     text NOT NULL,
  is_dev      boolean NOT NULL,
  CONSTRAINT version_packages_pkey PRIMARY KEY (version_id, ecosystem, package, version),
  CONSTRAINT version_packages_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX version_packages_package ON version_packages (ecosystem, package);
GRANT SELECT, INSERT, UPDATE, DELETE ON version_packages TO market_app;

CREATE TABLE advisory_hits (
  version_id   text NOT NULL,
  advisory_id  text NOT NULL,
  ecosystem    text NOT NULL,
  package      text NOT NULL,
  version      text NOT NULL,
  found_at     timestamptz NOT NULL DEFAULT now(),
  -- When a run was requested because of it, or a run had seen it already
  asked_at     timestamptz,
  CONSTRAINT advisory_hits_pkey PRIMARY KEY (version_id, advisory_id, ecosystem, package, version),
  CONSTRAINT advisory_hits_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX advisory_hits_unasked ON advisory_hits (found_at) WHERE (asked_at IS NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON advisory_hits TO market_app;

-- When the owner of an agent last asked for another verification, which makes dozens of calls (ADR 0185).
-- The last verification that the owner of an agent asked for
CREATE TABLE agent_reverifications (
  agent_id  text NOT NULL,
  asked_at  timestamptz NOT NULL,
  CONSTRAINT agent_reverifications_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agent_reverifications_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
GRANT SELECT, INSERT, UPDATE ON agent_reverifications TO market_app;

-- Who controls the host of a registered endpoint (ADR 0208): the proofs that were found, and the one short run that an
-- unproven origin gets.
-- Origins whose control the owner of the agent has proven
CREATE TABLE endpoint_proofs (
  agent_id    text NOT NULL,
  origin      text NOT NULL,
  method      text NOT NULL,
  proven_at   timestamptz NOT NULL DEFAULT now(),
  -- When the proof was last found
  checked_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT endpoint_proofs_pkey PRIMARY KEY (agent_id, origin),
  CONSTRAINT endpoint_proofs_method_check CHECK (method IN ('file', 'dns', 'header', 'challenge')),
  CONSTRAINT endpoint_proofs_origin_check CHECK (origin ~ '^https://[^/]+$')
);
GRANT SELECT, INSERT, UPDATE, DELETE ON endpoint_proofs TO market_app;

-- Verification runs that made a few calls of an origin without a proof of its control
CREATE TABLE first_runs (
  run_id             text NOT NULL,
  agent_id           text NOT NULL,
  origin             text NOT NULL,
  host               text NOT NULL,
  developer_user_id  text NOT NULL,
  began_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT first_runs_pkey PRIMARY KEY (run_id),
  CONSTRAINT first_runs_agent_id_origin_key UNIQUE (agent_id, origin),
  CONSTRAINT first_runs_origin_check CHECK (origin ~ '^https://[^/]+$')
);
CREATE INDEX first_runs_of_host ON first_runs (developer_user_id, host, began_at);
GRANT SELECT, INSERT ON first_runs TO market_app;

-- operations (0015_operations.sql) ----------------------------------------------------------------------------------

CREATE TABLE operator_actions (
  action_id         text NOT NULL,
  operator_user_id  text,
  action            text NOT NULL,
  -- The id of what was acted upon: agent, account, payment, dispute, …
  subject           text NOT NULL,
  reason            text NOT NULL,
  details           jsonb NOT NULL DEFAULT '{}'::jsonb,
  trace_id          text,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- user@host that ran a command on the database, instead of an account
  run_by            text,
  CONSTRAINT operator_actions_pkey PRIMARY KEY (action_id),
  CONSTRAINT operator_actions_action_check CHECK (action ~ '^[a-z_]+[.][a-z_]+$'),
  CONSTRAINT operator_actions_action_id_check CHECK (action_id ~ '^opa_[0-9a-f]{32}$'),
  CONSTRAINT operator_actions_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 4000),
  CONSTRAINT operator_actions_run_by_check CHECK (length(run_by) >= 1 AND length(run_by) <= 200),
  CONSTRAINT operator_actions_subject_check CHECK (length(subject) >= 1 AND length(subject) <= 200),
  CONSTRAINT operator_actions_who CHECK (num_nonnulls(operator_user_id, run_by) = 1),
  CONSTRAINT operator_actions_operator_user_id_fkey FOREIGN KEY (operator_user_id) REFERENCES users(user_id)
);
CREATE INDEX operator_actions_action ON operator_actions (action, action_id DESC);
CREATE INDEX operator_actions_operator ON operator_actions (operator_user_id, action_id DESC);
CREATE INDEX operator_actions_subject ON operator_actions (subject, action_id DESC);
CREATE TRIGGER operator_actions_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON operator_actions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON operator_actions TO market_app;

-- Which loops of each worker fail, as the worker last reported. Unlogged: a crash of Postgres may forget it.
CREATE UNLOGGED TABLE loop_reports (
  worker       text NOT NULL,
  failing      text[] NOT NULL,
  reported_at  timestamptz NOT NULL,
  CONSTRAINT loop_reports_pkey PRIMARY KEY (worker)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON loop_reports TO market_app;

-- usage (0016_usage.sql) --------------------------------------------------------------------------------------------

CREATE TABLE usage_deltas (
  agent_id     text NOT NULL,
  day          date NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  -- Positive: as many calls have this status now; -1: a call no longer has it
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  -- Of successes that have a duration: one in the bucket of all these calls
  duration_ms  integer,
  -- The duration is that of a job
  is_job       boolean NOT NULL DEFAULT false,
  CONSTRAINT usage_deltas_calls_check CHECK (calls <> 0 OR gross_units <> 0),
  CONSTRAINT usage_deltas_status_check CHECK (status IN ('succeeded', 'failed', 'disputed'))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX usage_deltas_agent ON usage_deltas (agent_id);
GRANT SELECT ON usage_deltas TO market_app;

CREATE TABLE agent_days (
  agent_id     text NOT NULL,
  -- UTC day in which the calls were accepted
  day          date NOT NULL,
  status       text NOT NULL,
  -- Of failed calls; empty without one
  error_code   text NOT NULL,
  calls        bigint NOT NULL,
  -- What the calls were charged; disputed calls got it back
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  CONSTRAINT agent_days_pkey PRIMARY KEY (agent_id, day, status, error_code)
) WITH (fillfactor = 70);
GRANT SELECT ON agent_days TO market_app;

-- The sums of all days of an agent, so that usage since its first day costs the same after years.
CREATE TABLE agent_totals (
  agent_id     text NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  CONSTRAINT agent_totals_pkey PRIMARY KEY (agent_id, status, error_code)
) WITH (fillfactor = 50);
GRANT SELECT ON agent_totals TO market_app;

CREATE TABLE agent_day_durations (
  agent_id  text NOT NULL,
  day       date NOT NULL,
  -- usage_bucket of successes, 1000 and more for jobs; duration_of is its duration in ms
  bucket    smallint NOT NULL,
  calls     bigint NOT NULL,
  CONSTRAINT agent_day_durations_pkey PRIMARY KEY (agent_id, day, bucket)
) WITH (fillfactor = 70);
GRANT SELECT ON agent_day_durations TO market_app;

CREATE VIEW agent_day_latencies AS
  SELECT agent_day_durations.agent_id, agent_day_durations.day, agent_day_durations.bucket,
      agent_day_durations.calls
    FROM agent_day_durations
 UNION ALL
  SELECT usage_changes.agent_id, usage_changes.day, usage_bucket(usage_changes.duration_ms,
      usage_changes.is_job) AS bucket, usage_changes.calls
    FROM usage_changes
   WHERE usage_changes.duration_ms IS NOT NULL;
GRANT SELECT ON agent_day_latencies TO market_app;

-- Paid calls of an agent by UTC day and buyer, for the figures of listings and for findings of behaviour (ADR 0189).
-- The calls of the developer's own account and free calls are not among them. Written by buyer_days_add, which also
-- keeps the sums of each day, so that figures cost the same after any number of calls and buyers.
CREATE TABLE buyer_days (
  agent_id        text NOT NULL,
  day             date NOT NULL,
  buyer_user_id   text NOT NULL,
  succeeded       integer NOT NULL DEFAULT 0,
  -- Calls that the agent refused with a status 4xx
  refused         integer NOT NULL DEFAULT 0,
  -- Other failures of the agent, and charges that disputes took back
  failed          integer NOT NULL DEFAULT 0,
  -- Error code of the latest failed call
  code            text,
  open_succeeded  boolean NOT NULL DEFAULT false,
  open_refused    boolean NOT NULL DEFAULT false,
  -- True until verification has judged this outcome of the buyer in this day
  open_failed     boolean NOT NULL DEFAULT false,
  -- The buyer as figures count it (counted_unit); null if it is related to the developer and not counted
  unit_id         text,
  CONSTRAINT buyer_days_pkey PRIMARY KEY (agent_id, day, buyer_user_id)
) WITH (fillfactor = 70);
CREATE INDEX buyer_days_buyer ON buyer_days (buyer_user_id);
CREATE INDEX buyer_days_day ON buyer_days (day);
CREATE INDEX buyer_days_open ON buyer_days (agent_id) WHERE (open_succeeded OR open_refused OR open_failed);
GRANT SELECT, UPDATE (open_succeeded, open_refused, open_failed) ON buyer_days TO market_app;

CREATE TABLE buyer_day_sums (
  agent_id  text NOT NULL,
  day       date NOT NULL,
  -- Successes, and one more for each buyer with failures: these were refunded
  calls     bigint NOT NULL,
  buyers    bigint NOT NULL,
  -- The sum over the buyers of the share of their calls that succeeded
  shares    numeric NOT NULL,
  CONSTRAINT buyer_day_sums_pkey PRIMARY KEY (agent_id, day)
) WITH (fillfactor = 50);
CREATE INDEX buyer_day_sums_day ON buyer_day_sums (day);
GRANT SELECT ON buyer_day_sums TO market_app;

-- Charges that disputes took back, until buyer_days_dispute counts them
CREATE TABLE buyer_day_disputes (
  agent_id       text NOT NULL,
  day            date NOT NULL,
  buyer_user_id  text NOT NULL
);

-- oauth (0017_oauth.sql) --------------------------------------------------------------------------------------------

-- Clients that registered themselves (RFC 7591). Anybody may register, so clients that no account has used are few
-- and end: the store deletes the oldest above a limit, and a loop deletes them after a day.
CREATE TABLE oauth_clients (
  client_id      text NOT NULL,
  name           text NOT NULL,
  redirect_uris  text[] NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- When an account last permitted the client something
  used_at        timestamptz,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (client_id),
  CONSTRAINT oauth_clients_client_id_check CHECK (client_id ~ '^ocl_[0-9a-f]{32}$'),
  CONSTRAINT oauth_clients_name_check CHECK (length(name) >= 1 AND length(name) <= 80),
  CONSTRAINT oauth_clients_redirect_uris_check CHECK (cardinality(redirect_uris) >= 1
    AND cardinality(redirect_uris) <= 10)
);
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at DESC, client_id) WHERE (used_at IS NULL);
CREATE INDEX oauth_clients_used ON oauth_clients (used_at) WHERE (used_at IS NOT NULL);
GRANT SELECT, INSERT (client_id, name, redirect_uris), UPDATE (used_at), DELETE ON oauth_clients TO market_app;

-- What an account permitted a client at one MCP endpoint. The key carries scopes, cap, spending, expiry and deletion,
-- so that a call under a grant is judged like a call with a key.
CREATE TABLE oauth_grants (
  grant_id       text NOT NULL,
  key_id         text NOT NULL,
  user_id        text NOT NULL,
  -- A registered client, or the URL of a client metadata document
  client_id      text NOT NULL,
  redirect_host  text NOT NULL,
  -- The audience: tokens are valid at the endpoint of this agent; null for that of the market
  agent_id       text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT oauth_grants_pkey PRIMARY KEY (grant_id),
  CONSTRAINT oauth_grants_key_id_key UNIQUE (key_id),
  CONSTRAINT oauth_grants_client_id_check CHECK (length(client_id) <= 2048),
  CONSTRAINT oauth_grants_grant_id_check CHECK (grant_id ~ '^ogr_[0-9a-f]{32}$'),
  CONSTRAINT oauth_grants_redirect_host_check CHECK (length(redirect_host) <= 300),
  CONSTRAINT oauth_grants_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id),
  CONSTRAINT oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
GRANT SELECT, INSERT ON oauth_grants TO market_app;

-- Authorization codes and tokens, each as its SHA-256. Used codes and refresh tokens stay for a while, so that a
-- second use is recognized and ends the grant, or within the grace gets the same successor (ADR 0194).
CREATE TABLE oauth_secrets (
  sha256          bytea NOT NULL,
  kind            text NOT NULL,
  grant_id        text NOT NULL,
  scopes          text[] NOT NULL,
  redirect_uri    text,
  code_challenge  text,
  expires_at      timestamptz NOT NULL,
  used_at         timestamptz,
  -- When the row is deleted; after a use, earlier than it would expire
  purge_at        timestamptz NOT NULL,
  -- Of a used refresh token: key of the HMAC of that token which is its successor
  successor_key   bytea,
  CONSTRAINT oauth_secrets_pkey PRIMARY KEY (sha256),
  CONSTRAINT oauth_secrets_check CHECK ((kind = 'code') = (redirect_uri IS NOT NULL)),
  CONSTRAINT oauth_secrets_check1 CHECK ((kind = 'code') = (code_challenge IS NOT NULL)),
  CONSTRAINT oauth_secrets_code_challenge_check CHECK (length(code_challenge) >= 43
    AND length(code_challenge) <= 128),
  CONSTRAINT oauth_secrets_kind_check CHECK (kind IN ('code', 'access', 'refresh')),
  CONSTRAINT oauth_secrets_redirect_uri_check CHECK (length(redirect_uri) <= 2048),
  CONSTRAINT oauth_secrets_scopes_check CHECK (cardinality(scopes) > 0),
  CONSTRAINT oauth_secrets_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT oauth_secrets_successor_key_check CHECK (length(successor_key) = 32),
  CONSTRAINT oauth_secrets_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(grant_id)
);
CREATE INDEX oauth_secrets_grant ON oauth_secrets (grant_id);
CREATE INDEX oauth_secrets_purge ON oauth_secrets (purge_at);
GRANT SELECT, INSERT, UPDATE (used_at, purge_at, successor_key), DELETE ON oauth_secrets TO market_app;

-- Logins of devices without a browser (RFC 8628): few, and each ends after ten minutes.
CREATE TABLE oauth_devices (
  device_sha256     bytea NOT NULL,
  user_code         text NOT NULL,
  client_id         text NOT NULL,
  scopes            text[] NOT NULL,
  -- Address that began the login; the page shows it
  network           text NOT NULL,
  state             text NOT NULL DEFAULT 'pending',
  user_id           text,
  credit_cap_units  bigint,
  poll_seconds      integer NOT NULL,
  polled_at         timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  expires_at        timestamptz NOT NULL,
  -- The member of an organisation who approved; null: the account itself
  approved_by       text,
  CONSTRAINT oauth_devices_pkey PRIMARY KEY (device_sha256),
  CONSTRAINT oauth_devices_user_code_key UNIQUE (user_code),
  CONSTRAINT oauth_devices_check CHECK ((state = 'pending') = (user_id IS NULL)),
  CONSTRAINT oauth_devices_credit_cap_units_check CHECK (credit_cap_units >= 0),
  CONSTRAINT oauth_devices_device_sha256_check CHECK (length(device_sha256) = 32),
  CONSTRAINT oauth_devices_network_check CHECK (length(network) <= 60),
  CONSTRAINT oauth_devices_scopes_check CHECK (cardinality(scopes) > 0),
  CONSTRAINT oauth_devices_state_check CHECK (state IN ('pending', 'approved', 'denied')),
  CONSTRAINT oauth_devices_user_code_check CHECK (user_code ~ '^[B-Z]{8}$'),
  CONSTRAINT oauth_devices_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES users(user_id),
  CONSTRAINT oauth_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX oauth_devices_expiry ON oauth_devices (expires_at);
GRANT SELECT, INSERT, UPDATE (state, user_id, credit_cap_units, poll_seconds, polled_at, approved_by),
  DELETE ON oauth_devices TO market_app;

-- earning days (0018_earning_days.sql) ------------------------------------------------------------------------------

CREATE TABLE earning_deltas (
  developer_user_id  text NOT NULL,
  matures_on         date NOT NULL,
  lots               bigint NOT NULL,
  open_units         bigint NOT NULL,
  disputed_units     bigint NOT NULL,
  earned_units       bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX earning_deltas_developer ON earning_deltas (developer_user_id);
GRANT SELECT ON earning_deltas TO market_app;

CREATE TABLE earning_days (
  developer_user_id  text NOT NULL,
  -- UTC day
  matures_on         date NOT NULL,
  -- Lots that are in no payout and not used up by clawbacks
  lots               bigint NOT NULL,
  -- What these lots are worth: net without what clawbacks took
  open_units         bigint NOT NULL,
  -- The part of open_units that is in an open dispute
  disputed_units     bigint NOT NULL,
  -- Net of all lots of the day, paid or not, that were not clawed back
  earned_units       bigint NOT NULL,
  CONSTRAINT earning_days_pkey PRIMARY KEY (developer_user_id, matures_on)
) WITH (fillfactor = 70);
CREATE INDEX earning_days_open ON earning_days (developer_user_id, matures_on) INCLUDE (lots, open_units,
  disputed_units) WHERE (lots > 0);
GRANT SELECT ON earning_days TO market_app;

-- The sums of all days of a developer, so that a balance costs the same after years.
CREATE TABLE earning_totals (
  developer_user_id  text NOT NULL,
  open_units         bigint NOT NULL,
  disputed_units     bigint NOT NULL,
  earned_units       bigint NOT NULL,
  CONSTRAINT earning_totals_pkey PRIMARY KEY (developer_user_id)
) WITH (fillfactor = 50);
GRANT SELECT ON earning_totals TO market_app;

-- What the days and totals of earnings lack yet: changes of lots, and new lots
CREATE VIEW earning_changes AS
  SELECT earning_deltas.developer_user_id, earning_deltas.matures_on, earning_deltas.lots,
      earning_deltas.open_units, earning_deltas.disputed_units, earning_deltas.earned_units
    FROM earning_deltas
 UNION ALL
  SELECT a.user_id AS developer_user_id, p.matures_on, 1 AS lots, p.amount_units AS open_units,
      0 AS disputed_units, p.amount_units AS earned_units
    FROM accounts a
      CROSS JOIN LATERAL ( SELECT r.account_id, r.amount_units, r.fee_units, r.matures_on, r.agent_id,
          r.called_on, r.duration_ms
            FROM pending_rollups r
           WHERE r.account_id = a.account_id AND r.matures_on IS NOT NULL
          OFFSET 0) p
   WHERE a.kind = 'payable';
GRANT SELECT ON earning_changes TO market_app;

CREATE VIEW earning_day_lots AS
  SELECT earning_days.developer_user_id, earning_days.matures_on, earning_days.lots, earning_days.open_units,
      earning_days.disputed_units, earning_days.earned_units
    FROM earning_days
 UNION ALL
  SELECT earning_changes.developer_user_id, earning_changes.matures_on, earning_changes.lots,
      earning_changes.open_units, earning_changes.disputed_units, earning_changes.earned_units
    FROM earning_changes;
GRANT SELECT ON earning_day_lots TO market_app;

CREATE VIEW earning_sums AS
  SELECT earning_totals.developer_user_id, earning_totals.open_units, earning_totals.disputed_units,
      earning_totals.earned_units
    FROM earning_totals
 UNION ALL
  SELECT earning_changes.developer_user_id, earning_changes.open_units, earning_changes.disputed_units,
      earning_changes.earned_units
    FROM earning_changes;
GRANT SELECT ON earning_sums TO market_app;

-- archived months (0019_archived_months.sql) ------------------------------------------------------------------------

-- The CHECKs are added below, as NOT VALID as those of the tables (0002).
CREATE TABLE archive.transactions (
  LIKE transactions,
  CONSTRAINT transactions_pkey PRIMARY KEY (transaction_id),
  CONSTRAINT transactions_kind_check CHECK (ledger_check_transaction(kind)) NOT VALID
) PARTITION BY RANGE (transaction_id);
CREATE TRIGGER archived BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON archive.transactions FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE archive.entries (
  LIKE entries,
  CONSTRAINT entries_chain CHECK (ledger_check_entry(amount_units, balance_before_units, balance_after_units,
    account_version)) NOT VALID
) PARTITION BY RANGE (transaction_id);
CREATE INDEX entries_account_id_entry_id_amount_units_idx ON archive.entries (account_id,
  entry_id) INCLUDE (amount_units);
CREATE INDEX entries_transaction ON archive.entries USING brin (transaction_id) WITH (pages_per_range='32');
CREATE TRIGGER archived BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON archive.entries FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE archive.holds (
  LIKE holds,
  CONSTRAINT holds_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT holds_rules CHECK (ledger_check_hold(invocation_id, amount_units, state, captured_units,
    resolved_at)) NOT VALID
) PARTITION BY RANGE (invocation_id);
CREATE INDEX holds_agent_id_invocation_id_idx ON archive.holds (agent_id, invocation_id) WHERE (state = 'open');
CREATE INDEX holds_buyer_user_id_invocation_id_idx ON archive.holds (buyer_user_id, invocation_id)
  WHERE (state = 'open');
CREATE TRIGGER archived BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON archive.holds FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE archive.earnings (
  LIKE earnings,
  CONSTRAINT earnings_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT earnings_split CHECK (ledger_check_lot(gross_units, net_units, fee_units, fee_percent,
    recovered_units)) NOT VALID
) PARTITION BY RANGE (invocation_id);
CREATE INDEX earnings_developer_user_id_matures_at_invocation_id_idx ON archive.earnings (developer_user_id,
  matures_at, invocation_id);
CREATE INDEX earnings_developer_user_id_matures_at_invocation_id_idx1 ON archive.earnings (developer_user_id,
  matures_at, invocation_id) WHERE late;
CREATE TRIGGER archived BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON archive.earnings FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE archive.invocations (
  LIKE invocations,
  CONSTRAINT invocations_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT invocations_rules CHECK (invocation_check(invocation_id, surface, status, price_units, free,
    free_month, idempotency_key, input_bytes, output_bytes, truncated_by, charged_units, settled_at)) NOT VALID
) PARTITION BY RANGE (invocation_id);
CREATE INDEX invocations_agent_id_invocation_id_idx ON archive.invocations (agent_id, invocation_id DESC);
CREATE INDEX invocations_buyer_user_id_invocation_id_idx ON archive.invocations (buyer_user_id, invocation_id DESC);
CREATE INDEX invocations_buyer_user_id_mandate_id_idx ON archive.invocations (buyer_user_id, mandate_id)
  WHERE (mandate_id IS NOT NULL);
CREATE TRIGGER archived BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON archive.invocations FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();

CREATE VIEW all_transactions AS
  SELECT transactions.transaction_id, transactions.kind, transactions.reference, transactions.invocation_id,
      transactions.agent_id, transactions.account_ids, transactions.first_entry_id, transactions.last_entry_id,
      transactions.description, transactions.trace_id, transactions.created_at
    FROM transactions
 UNION ALL
  SELECT transactions.transaction_id, transactions.kind, transactions.reference, transactions.invocation_id,
      transactions.agent_id, transactions.account_ids, transactions.first_entry_id, transactions.last_entry_id,
      transactions.description, transactions.trace_id, transactions.created_at
    FROM archive.transactions;
GRANT SELECT ON all_transactions TO market_app;

CREATE VIEW all_entries AS
  SELECT entries.transaction_id, entries.line, entries.entry_id, entries.account_id, entries.entry_type,
      entries.amount_units, entries.balance_before_units, entries.balance_after_units, entries.account_version,
      entries.created_at
    FROM entries
 UNION ALL
  SELECT entries.transaction_id, entries.line, entries.entry_id, entries.account_id, entries.entry_type,
      entries.amount_units, entries.balance_before_units, entries.balance_after_units, entries.account_version,
      entries.created_at
    FROM archive.entries;
GRANT SELECT ON all_entries TO market_app;

CREATE VIEW all_holds AS
  SELECT holds.invocation_id, holds.buyer_user_id, holds.developer_user_id, holds.agent_id, holds.version_id,
      holds.amount_units, holds.state, holds.captured_units, holds.forwarded_at, holds.forward_count,
      holds.delivered_at, holds.lease_until, holds.hold_transaction_id, holds.end_transaction_id,
      holds.trace_id, holds.created_at, holds.resolved_at
    FROM holds
 UNION ALL
  SELECT holds.invocation_id, holds.buyer_user_id, holds.developer_user_id, holds.agent_id, holds.version_id,
      holds.amount_units, holds.state, holds.captured_units, holds.forwarded_at, holds.forward_count,
      holds.delivered_at, holds.lease_until, holds.hold_transaction_id, holds.end_transaction_id,
      holds.trace_id, holds.created_at, holds.resolved_at
    FROM archive.holds;
GRANT SELECT ON all_holds TO market_app;

-- Each detached month with the file that was verified before.
CREATE TABLE detached_months (
  month        date NOT NULL,
  file_sha256  text NOT NULL,
  detached_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT detached_months_pkey PRIMARY KEY (month),
  CONSTRAINT detached_months_file_sha256_check CHECK (file_sha256 ~ '^[0-9a-f]{64}$')
);
CREATE TRIGGER detached_months_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON detached_months
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON detached_months TO market_app;

-- payout rails (0020_payout_rails.sql) ------------------------------------------------------------------------------

-- The rails of src/domain/payouts/rails.ts; written by migrate
CREATE TABLE payout_rails (
  method            text NOT NULL,
  channel           text NOT NULL,
  currency          text NOT NULL,
  minimum_units     bigint NOT NULL,
  -- Smallest units of the currency for one credit, before the exchange rate
  minor_per_credit  bigint NOT NULL,
  -- The currency of the rate for one US dollar; null: no rate is needed
  rate_quote        text,
  CONSTRAINT payout_rails_pkey PRIMARY KEY (method),
  CONSTRAINT payout_rails_channel_check CHECK (channel IN ('file', 'chain')),
  CONSTRAINT payout_rails_minimum_units_check CHECK (minimum_units > 0),
  CONSTRAINT payout_rails_minor_per_credit_check CHECK (minor_per_credit > 0)
);
CREATE UNIQUE INDEX payout_rails_chain ON payout_rails (channel) WHERE (channel = 'chain');

-- security mails (0033_security_mails.sql) --------------------------------------------------------------------------

-- One row for each mail that reports a change of an account; the outbox mails has what is merged
CREATE TABLE security_mails (
  mail_id       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- User id
  recipient     text NOT NULL,
  kind          text NOT NULL,
  -- What the mail is about, such as the id of a key
  subject       text NOT NULL,
  requested_at  timestamptz NOT NULL DEFAULT now(),
  -- When the next attempt is due; null if the mail was sent or given up
  due_at        timestamptz DEFAULT now(),
  attempts      integer NOT NULL DEFAULT 0,
  sent_at       timestamptz,
  CONSTRAINT security_mails_pkey PRIMARY KEY (mail_id),
  CONSTRAINT security_mails_kind_check CHECK (length(kind) <= 40),
  CONSTRAINT security_mails_recipient_check CHECK (length(recipient) <= 254),
  CONSTRAINT security_mails_subject_check CHECK (length(subject) <= 200)
);
CREATE INDEX security_mails_due ON security_mails (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX security_mails_recent ON security_mails (recipient, kind, requested_at);
CREATE INDEX security_mails_sent ON security_mails (sent_at) WHERE (due_at IS NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON security_mails TO market_app;

-- ended readings (0045_ended_readings.sql) --------------------------------------------------------------------------

-- Bundles whose reader was ended by its limits or by a crash: they are not read again
CREATE TABLE ended_readings (
  bundle_sha256  text NOT NULL,
  gap            text NOT NULL,
  -- JSON of what the reader had found before it ended
  parts          text NOT NULL,
  ended_at       timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ended_readings_pkey PRIMARY KEY (bundle_sha256),
  CONSTRAINT ended_readings_bundle_sha256_check CHECK (bundle_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT ended_readings_gap_check CHECK (gap IN ('reader_ended', 'too_slow'))
);
GRANT SELECT, INSERT ON ended_readings TO market_app;

-- call failures (0046_call_failures.sql) ----------------------------------------------------------------------------

-- Where calls failed; deleted by retention_purge after 31 days
CREATE TABLE call_failures (
  invocation_id  text NOT NULL,
  -- connection: no response came; answer: the response was refused; schema: the answer violates the output schema;
  -- acceptance: the answer fails a test of the buyer
  phase          text NOT NULL,
  http_status    smallint,
  -- JSON pointer to the first value that violates the output schema
  schema_path    text,
  problem        text,
  failed_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT call_failures_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT call_failures_http_status_check CHECK (http_status >= 100 AND http_status <= 999),
  CONSTRAINT call_failures_phase_check CHECK (phase IN ('connection', 'answer', 'schema', 'acceptance')),
  CONSTRAINT call_failures_problem_check CHECK (length(problem) <= 300),
  CONSTRAINT call_failures_schema_path_check CHECK (length(schema_path) <= 300)
);
CREATE INDEX call_failures_time ON call_failures (failed_at);
GRANT SELECT ON call_failures TO market_app;

-- spend days (0047_spend_days.sql) ----------------------------------------------------------------------------------

-- Charges as they were made: what disputes and slashes returned later is not taken off
CREATE TABLE spend_days (
  buyer_user_id   text NOT NULL,
  -- UTC day in which the calls were accepted
  day             date NOT NULL,
  agent_id        text NOT NULL,
  -- Empty for calls without a key
  key_id          text NOT NULL,
  calls           bigint NOT NULL,
  charged_units   bigint NOT NULL,
  -- Empty for calls that no member of an organisation made
  member_user_id  text NOT NULL DEFAULT '',
  CONSTRAINT spend_days_pkey PRIMARY KEY (buyer_user_id, day, agent_id, key_id, member_user_id)
) WITH (fillfactor = 70);
GRANT SELECT ON spend_days TO market_app;

-- The last call that spend_days contains: one row
CREATE TABLE spend_reached (
  is_only        boolean NOT NULL DEFAULT true,
  invocation_id  text NOT NULL,
  CONSTRAINT spend_reached_pkey PRIMARY KEY (is_only),
  CONSTRAINT spend_reached_is_only_check CHECK (is_only)
);
GRANT SELECT ON spend_reached TO market_app;

-- market figures (0051_market_figures.sql) --------------------------------------------------------------------------

-- Calls of all agents by the minute in which their end was counted; older minutes are deleted
CREATE TABLE market_minutes (
  minute       timestamptz NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  -- usage_bucket of successes, 1000 and more for jobs; -1 without a duration
  bucket       smallint NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  CONSTRAINT market_minutes_pkey PRIMARY KEY (minute, status, error_code, bucket)
) WITH (fillfactor = 50);
GRANT SELECT ON market_minutes TO market_app;

-- Calls of all agents by the UTC day in which they were accepted
CREATE TABLE market_days (
  day          date NOT NULL,
  status       text NOT NULL,
  error_code   text NOT NULL,
  bucket       smallint NOT NULL,
  calls        bigint NOT NULL,
  gross_units  bigint NOT NULL,
  fee_units    bigint NOT NULL,
  CONSTRAINT market_days_pkey PRIMARY KEY (day, status, error_code, bucket)
) WITH (fillfactor = 50);
GRANT SELECT ON market_days TO market_app;

-- status (0052_status.sql) ------------------------------------------------------------------------------------------

CREATE TABLE status_minutes (
  minute  timestamptz NOT NULL,
  part    text NOT NULL,
  -- False when a check of any API process failed in this minute
  ok      boolean NOT NULL,
  CONSTRAINT status_minutes_pkey PRIMARY KEY (minute, part),
  CONSTRAINT status_minutes_part_check CHECK (part IN ('api', 'calls', 'background'))
);
GRANT SELECT ON status_minutes TO market_app;

CREATE TABLE status_days (
  day      date NOT NULL,
  part     text NOT NULL,
  -- Minutes of the UTC day that were noted
  minutes  integer NOT NULL,
  failed   integer NOT NULL,
  -- The first minute of the day that was noted
  first    timestamptz NOT NULL,
  CONSTRAINT status_days_pkey PRIMARY KEY (day, part),
  CONSTRAINT status_days_failed_check CHECK (failed >= 0),
  CONSTRAINT status_days_minutes_check CHECK (minutes >= 0)
) WITH (fillfactor = 50);
GRANT SELECT ON status_days TO market_app;

-- kept bodies (0053_kept_bodies.sql) --------------------------------------------------------------------------------

-- Written by kept_body_add; deleted by kept_bodies_erase and kept_bodies_purge
CREATE TABLE kept_bodies (
  invocation_id  text NOT NULL,
  buyer_user_id  text NOT NULL,
  -- Envelope-encrypted; the context is the invocation id
  input          bytea,
  -- Envelope-encrypted; null also while the call runs, and when it failed
  output         bytea,
  -- The parts, input or output, that were too large to be kept
  too_large      text[] NOT NULL DEFAULT '{}'[],
  kept_at        timestamptz NOT NULL DEFAULT now(),
  expires_at     timestamptz NOT NULL,
  CONSTRAINT kept_bodies_pkey PRIMARY KEY (invocation_id)
);
CREATE INDEX kept_bodies_buyer ON kept_bodies (buyer_user_id, invocation_id);
CREATE INDEX kept_bodies_expiry ON kept_bodies (expires_at);
GRANT SELECT, UPDATE (input, output) ON kept_bodies TO market_app;

-- billing details (0061_billing_details.sql) ------------------------------------------------------------------------

CREATE TABLE billing_details (
  user_id         text NOT NULL,
  company         text,
  -- Lines, separated by line feeds
  address         text,
  country         text,
  tax_number      text,
  receipts_email  text,
  updated_at      timestamptz NOT NULL DEFAULT now(),
  -- Of the buyer, such as the number of a purchase order
  reference       text,
  CONSTRAINT billing_details_pkey PRIMARY KEY (user_id),
  CONSTRAINT billing_details_address_check CHECK (length(address) >= 1 AND length(address) <= 500),
  CONSTRAINT billing_details_check CHECK (tax_number IS NULL OR country IS NOT NULL),
  CONSTRAINT billing_details_company_check CHECK (length(company) >= 1 AND length(company) <= 120),
  CONSTRAINT billing_details_country_check CHECK (country ~ '^[A-Z]{2}$'),
  CONSTRAINT billing_details_receipts_email_check CHECK (length(receipts_email) <= 254),
  CONSTRAINT billing_details_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 100),
  CONSTRAINT billing_details_tax_number_check CHECK (length(tax_number) >= 1 AND length(tax_number) <= 40),
  CONSTRAINT billing_details_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE TRIGGER billing_details_owner_signs AFTER INSERT OR UPDATE ON billing_details FOR EACH ROW
  EXECUTE FUNCTION owner_signs_of_billing();
GRANT SELECT, INSERT, UPDATE ON billing_details TO market_app;

-- account notices (0062_account_notices.sql) ------------------------------------------------------------------------

CREATE TABLE account_notices (
  notice_id  text NOT NULL,
  user_id    text NOT NULL,
  type       text NOT NULL,
  agent_id   text,
  -- That of the event: ids, states, amounts and times
  data       jsonb NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  read_at    timestamptz,
  CONSTRAINT account_notices_pkey PRIMARY KEY (notice_id),
  CONSTRAINT account_notices_notice_id_check CHECK (notice_id ~ '^ntc_[0-9a-f]{32}$'),
  CONSTRAINT account_notices_type_check CHECK (length(type) <= 60)
);
CREATE INDEX account_notices_old ON account_notices (at);
CREATE INDEX account_notices_unread ON account_notices (user_id, notice_id DESC) WHERE (read_at IS NULL);
CREATE INDEX account_notices_user ON account_notices (user_id, notice_id DESC);
GRANT SELECT, UPDATE ON account_notices TO market_app;

-- jobs (0067_jobs.sql) ----------------------------------------------------------------------------------------------

-- Calls that an agent has accepted with 202; without their answers
CREATE TABLE jobs (
  invocation_id     text NOT NULL,
  buyer_user_id     text NOT NULL,
  agent_id          text NOT NULL,
  taken_at          timestamptz NOT NULL DEFAULT now(),
  -- How long the agent took to accept it
  took_ms           integer NOT NULL,
  -- When the agent must have answered
  ends_at           timestamptz NOT NULL,
  -- It ends then because it would cost more than the ceiling of its buyer
  is_budgeted       boolean NOT NULL,
  heartbeat_ms      integer NOT NULL,
  -- Envelope-encrypted address that is asked for the answer; null: the agent calls back
  location          bytea,
  progress          real,
  -- Envelope-encrypted sentence of the agent about its progress
  message           bytea,
  -- When the agent last reported
  heard_at          timestamptz NOT NULL DEFAULT now(),
  -- When its workflow is woken if it does not look before
  look_at           timestamptz,
  ended_at          timestamptz,
  -- The webhook id of the last report
  heard_webhook     text,
  -- Since when its clock stands still, because a question waits for the buyer; null: it runs
  paused_at         timestamptz,
  -- How long it waited for answered questions; ends_at contains it
  paused_ms         bigint NOT NULL DEFAULT 0,
  -- When its last event invocation.progress was written
  progress_sent_at  timestamptz,
  piece_count       integer NOT NULL DEFAULT 0,
  piece_bytes       bigint NOT NULL DEFAULT 0,
  -- Part of the price that its milestones have earned
  reached_percent   integer NOT NULL DEFAULT 0,
  -- When such earnings mature (earning_matures_ms); null without a milestone
  earning_terms     jsonb,
  -- When its time was found to be over, or its agent silent; nothing is accepted of it since
  given_up_at       timestamptz,
  CONSTRAINT jobs_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT jobs_heard_webhook_check CHECK (length(heard_webhook) >= 1 AND length(heard_webhook) <= 255),
  CONSTRAINT jobs_heartbeat_ms_check CHECK (heartbeat_ms > 0),
  CONSTRAINT jobs_invocation_id_check CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
  CONSTRAINT jobs_paused_ms_check CHECK (paused_ms >= 0),
  CONSTRAINT jobs_piece_bytes_check CHECK (piece_bytes >= 0),
  CONSTRAINT jobs_piece_count_check CHECK (piece_count >= 0),
  CONSTRAINT jobs_progress_check CHECK (progress >= 0::double precision AND progress <= 1::double precision),
  CONSTRAINT jobs_reached_percent_check CHECK (reached_percent >= 0 AND reached_percent <= 100),
  CONSTRAINT jobs_took_ms_check CHECK (took_ms >= 0)
);
CREATE INDEX jobs_agent ON jobs (agent_id) WHERE (ended_at IS NULL);
CREATE INDEX jobs_buyer ON jobs (buyer_user_id) WHERE (ended_at IS NULL);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX jobs_ends_at ON jobs (ends_at) WHERE ((ended_at IS NULL) AND (paused_at IS NULL));
CREATE INDEX jobs_looked_at ON jobs (look_at) WHERE (look_at IS NOT NULL);
GRANT SELECT, UPDATE (location, message, look_at) ON jobs TO market_app;

-- The answer or the failure of a job that its agent has called back, until the call ends
CREATE TABLE job_ends (
  invocation_id  text NOT NULL,
  webhook_id     text NOT NULL,
  kind           text NOT NULL,
  -- Envelope-encrypted; the context is that of the job
  body           bytea NOT NULL,
  at             timestamptz NOT NULL DEFAULT now(),
  -- Whose end it is; null: kept by a release before this column
  agent_id       text,
  CONSTRAINT job_ends_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT job_ends_kind_check CHECK (kind IN ('answer', 'failure')),
  CONSTRAINT job_ends_webhook_id_check CHECK (length(webhook_id) >= 1 AND length(webhook_id) <= 255)
);
CREATE INDEX job_ends_agent ON job_ends (agent_id);
GRANT SELECT, UPDATE (body) ON job_ends TO market_app;

-- spend waiting (0069_spend_waiting.sql) ----------------------------------------------------------------------------

-- Calls that were open when the roll-up passed them, and that spend_days does not contain
CREATE TABLE spend_waiting (
  invocation_id  text NOT NULL,
  buyer_user_id  text NOT NULL,
  -- When the roll-up last looked whether the call has ended
  looked_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT spend_waiting_pkey PRIMARY KEY (invocation_id)
) WITH (fillfactor = 70);
CREATE INDEX spend_waiting_buyer ON spend_waiting (buyer_user_id);
CREATE INDEX spend_waiting_looked ON spend_waiting (looked_at);
GRANT SELECT ON spend_waiting TO market_app;

-- job questions (0070_job_questions.sql) ----------------------------------------------------------------------------

-- What agents asked the buyers of their jobs; texts only until the answer was delivered or the call ended
CREATE TABLE job_questions (
  invocation_id    text NOT NULL,
  -- The id that the agent gave, or one that is derived from its message
  question_id      text NOT NULL,
  sealed_id        text GENERATED ALWAYS AS ((invocation_id || ' ') || question_id) STORED,
  buyer_user_id    text NOT NULL,
  -- Envelope-encrypted prompt, schema and address for the answer; the context is that of the job
  question         bytea,
  -- SHA-256 of the canonical JSON of prompt and schema
  question_sha256  text NOT NULL,
  asked_at         timestamptz NOT NULL DEFAULT now(),
  -- Without an answer by then, the call is canceled
  expires_at       timestamptz NOT NULL,
  -- It waits for the buyer
  is_open          boolean NOT NULL DEFAULT true,
  answered_at      timestamptz,
  -- Envelope-encrypted; the context is that of the job
  answer           bytea,
  -- SHA-256 of the canonical JSON of the answer
  answer_sha256    text,
  -- Attempts to deliver the answer
  attempts         integer NOT NULL DEFAULT 0,
  delivered_at     timestamptz,
  CONSTRAINT job_questions_pkey PRIMARY KEY (invocation_id, question_id),
  CONSTRAINT job_questions_sealed_id_key UNIQUE (sealed_id),
  CONSTRAINT job_questions_answer_sha256_check CHECK (answer_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT job_questions_invocation_id_check CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
  CONSTRAINT job_questions_question_id_check CHECK (question_id ~ '^[A-Za-z0-9_.:-]{1,64}$'),
  CONSTRAINT job_questions_question_sha256_check CHECK (question_sha256 ~ '^[0-9a-f]{64}$')
);
CREATE INDEX job_questions_buyer ON job_questions (buyer_user_id, invocation_id) WHERE is_open;
CREATE INDEX job_questions_expires_at ON job_questions (expires_at) WHERE is_open;
CREATE UNIQUE INDEX job_questions_open ON job_questions (invocation_id) WHERE is_open;
GRANT SELECT, UPDATE (question, answer) ON job_questions TO market_app;

-- job figures (0075_job_figures.sql) --------------------------------------------------------------------------------

-- What the days and totals of usage lack yet
CREATE VIEW usage_changes AS
  SELECT usage_deltas.agent_id, usage_deltas.day, usage_deltas.status, usage_deltas.error_code,
      usage_deltas.calls, usage_deltas.gross_units, usage_deltas.fee_units, usage_deltas.duration_ms,
      usage_deltas.is_job
    FROM usage_deltas
 UNION ALL
  SELECT g.agent_id, p.called_on AS day, 'succeeded' AS status, '' AS error_code, 1 AS calls,
      p.amount_units + p.fee_units AS gross_units, p.fee_units, p.duration_ms, p.is_job
    FROM agents g
      JOIN accounts a ON a.user_id = g.developer_user_id AND a.kind = 'payable'
      CROSS JOIN LATERAL ( SELECT r.account_id, r.amount_units, r.fee_units, r.matures_on, r.agent_id,
          r.called_on, r.duration_ms, r.is_job
            FROM pending_rollups r
           WHERE r.account_id = a.account_id AND r.agent_id = g.agent_id
          OFFSET 0) p;
GRANT SELECT ON usage_changes TO market_app;

CREATE VIEW agent_day_calls AS
  SELECT agent_days.agent_id, agent_days.day, agent_days.status, agent_days.error_code, agent_days.calls,
      agent_days.gross_units, agent_days.fee_units
    FROM agent_days
 UNION ALL
  SELECT usage_changes.agent_id, usage_changes.day, usage_changes.status, usage_changes.error_code,
      usage_changes.calls, usage_changes.gross_units, usage_changes.fee_units
    FROM usage_changes;
GRANT SELECT ON agent_day_calls TO market_app;

CREATE VIEW agent_total_calls AS
  SELECT agent_totals.agent_id, agent_totals.status, agent_totals.error_code, agent_totals.calls,
      agent_totals.gross_units, agent_totals.fee_units
    FROM agent_totals
 UNION ALL
  SELECT usage_changes.agent_id, usage_changes.status, usage_changes.error_code, usage_changes.calls,
      usage_changes.gross_units, usage_changes.fee_units
    FROM usage_changes;
GRANT SELECT ON agent_total_calls TO market_app;

-- probe jobs (0076_probe_jobs.sql) ----------------------------------------------------------------------------------

CREATE TABLE probe_jobs (
  invocation_id  text NOT NULL,
  agent_id       text NOT NULL,
  began_at       timestamptz NOT NULL DEFAULT now(),
  heard_at       timestamptz,
  heard_webhook  text,
  progress       real,
  reports        integer NOT NULL DEFAULT 0,
  -- Reports of less progress than before
  backwards      integer NOT NULL DEFAULT 0,
  -- Callbacks that no secret of the agent had signed
  unsigned       integer NOT NULL DEFAULT 0,
  end_webhook    text,
  end_kind       text,
  -- Envelope-encrypted answer or failure, until the probe is over
  end_body       bytea,
  over_at        timestamptz,
  -- Answers and failures that came after the probe was over
  late           integer NOT NULL DEFAULT 0,
  -- The version that is verified; null in rows of earlier releases
  version_id     text,
  -- When the 202 of the agent was read; null before, and in rows of earlier releases
  taken_at       timestamptz,
  -- The webhook id of each milestone that was called back, by its name
  reached        jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT probe_jobs_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT probe_jobs_end_kind_check CHECK (end_kind IN ('answer', 'failure')),
  CONSTRAINT probe_jobs_invocation_id_check CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$')
);
CREATE INDEX probe_jobs_began ON probe_jobs (began_at);
CREATE INDEX probe_jobs_open ON probe_jobs (began_at) WHERE (over_at IS NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON probe_jobs TO market_app;

-- milestones (0077_milestones.sql) ----------------------------------------------------------------------------------

-- Parts of the answer of a job that its agent has called back before its end
CREATE TABLE job_pieces (
  piece_id       text NOT NULL GENERATED ALWAYS AS ((invocation_id || ' ') || number) STORED,
  invocation_id  text NOT NULL,
  number         integer NOT NULL,
  webhook_id     text NOT NULL,
  -- The milestone that the piece proves; null without one
  milestone      text,
  percent        integer NOT NULL DEFAULT 0,
  -- Envelope-encrypted JSON; the context is that of the job. Null: no longer stored
  body           bytea,
  -- Of the JSON text, for disputes
  sha256         text NOT NULL,
  bytes          integer NOT NULL,
  at             timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT job_pieces_pkey PRIMARY KEY (piece_id),
  CONSTRAINT job_pieces_invocation_id_number_key UNIQUE (invocation_id, number),
  CONSTRAINT job_pieces_bytes_check CHECK (bytes >= 0),
  CONSTRAINT job_pieces_milestone_check CHECK (length(milestone) >= 1 AND length(milestone) <= 60),
  CONSTRAINT job_pieces_number_check CHECK (number > 0),
  CONSTRAINT job_pieces_percent_check CHECK (percent >= 0 AND percent <= 100),
  CONSTRAINT job_pieces_webhook_id_check CHECK (length(webhook_id) >= 1 AND length(webhook_id) <= 255)
);
CREATE UNIQUE INDEX job_pieces_milestone ON job_pieces (invocation_id, milestone) WHERE (milestone IS NOT NULL);
CREATE UNIQUE INDEX job_pieces_webhook ON job_pieces (invocation_id, webhook_id);
GRANT SELECT, UPDATE (body) ON job_pieces TO market_app;

-- oauth programs (0089_oauth_programs.sql) --------------------------------------------------------------------------

-- Programs of an account that get access tokens by a secret of their own. The grant has their id, scopes and limits.
CREATE TABLE oauth_programs (
  grant_id       text NOT NULL,
  secret_sha256  bytea NOT NULL,
  -- The secret before the last rotation, which is valid until old_ends_at
  old_sha256     bytea,
  old_ends_at    timestamptz,
  CONSTRAINT oauth_programs_pkey PRIMARY KEY (grant_id),
  CONSTRAINT oauth_programs_check CHECK ((old_sha256 IS NULL) = (old_ends_at IS NULL)),
  CONSTRAINT oauth_programs_old_sha256_check CHECK (length(old_sha256) = 32),
  CONSTRAINT oauth_programs_secret_sha256_check CHECK (length(secret_sha256) = 32),
  CONSTRAINT oauth_programs_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(grant_id)
);
GRANT SELECT, INSERT, UPDATE (secret_sha256, old_sha256, old_ends_at) ON oauth_programs TO market_app;

-- search by intent (0090_search_by_intent.sql) ----------------------------------------------------------------------

-- Of the serving version of each agent: what search by intent compares, and filters without a column there
CREATE TABLE agent_search (
  agent_id    text NOT NULL,
  place       integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  version_id  text NOT NULL,
  listed      boolean NOT NULL,
  residency   text,
  jobs        boolean NOT NULL,
  -- Stems and pairs of characters, each behind the letter of its field (search_terms_of)
  terms       tsvector NOT NULL,
  -- Whether the input schema has messages
  chat        boolean NOT NULL DEFAULT false,
  CONSTRAINT agent_search_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agent_search_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT agent_search_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX agent_search_place ON agent_search (place);
CREATE INDEX agent_search_terms ON agent_search USING gin (terms) WITH (fastupdate=off);
CREATE INDEX agent_search_version ON agent_search (version_id);
CREATE TRIGGER agent_search_chat BEFORE INSERT OR UPDATE OF version_id ON agent_search FOR EACH ROW
  EXECUTE FUNCTION agent_search_chat();
CREATE TRIGGER agent_vectors_follow AFTER INSERT OR UPDATE OF version_id, terms ON agent_search FOR EACH ROW
  EXECUTE FUNCTION agent_vectors_follow();
CREATE TRIGGER search_vocabulary_follow AFTER INSERT OR UPDATE OF terms ON agent_search FOR EACH ROW
  EXECUTE FUNCTION search_vocabulary_follow();
GRANT SELECT ON agent_search TO market_app;

-- How many listed agents have a term, at least three; the empty term: how many there are
CREATE TABLE search_term_counts (
  term        text NOT NULL,
  agents      integer NOT NULL,
  counted_at  timestamptz NOT NULL,
  CONSTRAINT search_term_counts_pkey PRIMARY KEY (term),
  CONSTRAINT search_term_counts_agents_check CHECK (agents >= 0)
);
GRANT SELECT ON search_term_counts TO market_app;

-- request keys (0098_request_keys.sql) ------------------------------------------------------------------------------

-- Ed25519 keys that sign requests to agents; retired ones stay in the directory for a day
CREATE TABLE request_keys (
  -- RFC 7638 thumbprint of the public key
  kid             text NOT NULL,
  -- The public key, as x of its JWK
  public_x        text NOT NULL,
  -- Envelope-encrypted seed; the context is the kid
  sealed_private  bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  retired_at      timestamptz,
  CONSTRAINT request_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT request_keys_check CHECK (retired_at >= created_at),
  CONSTRAINT request_keys_kid_check CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'),
  CONSTRAINT request_keys_public_x_check CHECK (public_x ~ '^[A-Za-z0-9_-]{43}$')
);
CREATE UNIQUE INDEX request_keys_one_signs ON request_keys ((true)) WHERE (retired_at IS NULL);
GRANT SELECT, INSERT, UPDATE (sealed_private, retired_at) ON request_keys TO market_app;

-- tools in search (0102_tools_in_search.sql) ------------------------------------------------------------------------

-- What search compares of the tools that the MCP server of a version lists
CREATE TABLE version_tools (
  version_id  text NOT NULL,
  -- Names and titles
  names       text NOT NULL,
  -- Descriptions of tools, and names, titles and descriptions of properties of their schemas
  texts       text NOT NULL,
  -- When verification first saw these words
  listed_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT version_tools_pkey PRIMARY KEY (version_id),
  CONSTRAINT version_tools_names_check CHECK (length(names) <= 8000),
  CONSTRAINT version_tools_texts_check CHECK (length(texts) <= 16000),
  CONSTRAINT version_tools_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE TRIGGER version_tools_follow AFTER INSERT OR UPDATE ON version_tools FOR EACH ROW
  EXECUTE FUNCTION version_tools_follow();
GRANT SELECT, INSERT, UPDATE (names, texts, listed_at) ON version_tools TO market_app;

-- agent vectors (0105_agent_vectors.sql) ----------------------------------------------------------------------------

-- Vectors of the texts of agents, for the order of searches by meaning; unused without EMBEDDINGS_URL
CREATE TABLE agent_vectors (
  agent_id  text NOT NULL,
  model     text,
  -- One signed byte for each number
  vector    bytea,
  -- When the texts are embedded next; null: the vector is that of the texts
  due_at    timestamptz,
  CONSTRAINT agent_vectors_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agent_vectors_check CHECK ((model IS NULL) = (vector IS NULL)),
  CONSTRAINT agent_vectors_vector_check CHECK (length(vector) <= 4096),
  CONSTRAINT agent_vectors_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
CREATE INDEX agent_vectors_due ON agent_vectors (due_at) WHERE (due_at IS NOT NULL);
GRANT SELECT, UPDATE (model, vector, due_at) ON agent_vectors TO market_app;

-- notice mails (0110_notice_mails.sql) ------------------------------------------------------------------------------

CREATE TABLE notice_mails (
  mail_id      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id      text NOT NULL,
  notice_id    text NOT NULL,
  -- Sent a day before the deadline, if the account has not answered by then
  is_reminder  boolean NOT NULL,
  made_at      timestamptz NOT NULL DEFAULT now(),
  -- When the next attempt is due; null if the mail was sent, given up or not wanted
  due_at       timestamptz,
  attempts     integer NOT NULL DEFAULT 0,
  ended_at     timestamptz,
  CONSTRAINT notice_mails_pkey PRIMARY KEY (mail_id)
);
CREATE INDEX notice_mails_due ON notice_mails (due_at, user_id) WHERE (due_at IS NOT NULL);
CREATE INDEX notice_mails_ended ON notice_mails (ended_at) WHERE (due_at IS NULL);
CREATE INDEX notice_mails_recent ON notice_mails (user_id, made_at) WHERE (NOT is_reminder);
CREATE INDEX notice_mails_waiting ON notice_mails (user_id, due_at) WHERE ((due_at IS NOT NULL) AND (attempts = 0)
  AND (NOT is_reminder));
GRANT SELECT, UPDATE, DELETE ON notice_mails TO market_app;

-- The subjects of notices that an account wants no mails about
CREATE TABLE mail_settings (
  user_id  text NOT NULL,
  off      text[] NOT NULL,
  CONSTRAINT mail_settings_pkey PRIMARY KEY (user_id),
  CONSTRAINT mail_settings_off_check CHECK (cardinality(off) <= 10)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_settings TO market_app;

-- search vocabulary (0113_search_vocabulary.sql) --------------------------------------------------------------------

-- Words of names, tags and descriptions of agents and their stems, with the letter of each field (search_terms_of)
CREATE TABLE search_vocabulary (
  word   text NOT NULL,
  field  text NOT NULL,
  CONSTRAINT search_vocabulary_pkey PRIMARY KEY (word, field),
  CONSTRAINT search_vocabulary_field_check CHECK (field IN ('n', 'g', 'd'))
);
CREATE INDEX search_vocabulary_grams ON search_vocabulary USING gin (word_grams(word));
CREATE INDEX search_vocabulary_near ON search_vocabulary USING gin (near_words(word));
GRANT SELECT ON search_vocabulary TO market_app;

-- favourites (0115_favourites.sql) ----------------------------------------------------------------------------------

-- At most 100 of an account
CREATE TABLE favourites (
  user_id   text NOT NULL,
  agent_id  text NOT NULL,
  added_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT favourites_pkey PRIMARY KEY (user_id, agent_id),
  CONSTRAINT favourites_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT favourites_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
GRANT SELECT, INSERT, DELETE ON favourites TO market_app;

-- price rises (0118_price_rises.sql) --------------------------------------------------------------------------------

-- Announced higher prices; the notices of one without ended_at are being written
CREATE TABLE price_rises (
  agent_id      text NOT NULL,
  effective_at  timestamptz NOT NULL,
  announced_at  timestamptz NOT NULL DEFAULT now(),
  -- Buyers with paid calls until this UTC day are notified
  last_day      date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  -- The UTC day whose buyers are notified next, those behind after_user
  day           date NOT NULL,
  after_user    text NOT NULL DEFAULT '',
  notified      integer NOT NULL DEFAULT 0,
  ended_at      timestamptz,
  CONSTRAINT price_rises_pkey PRIMARY KEY (agent_id, effective_at),
  CONSTRAINT price_rises_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
CREATE INDEX price_rises_open ON price_rises (announced_at) WHERE (ended_at IS NULL);
GRANT SELECT, INSERT ON price_rises TO market_app;

-- quotes (0119_quotes.sql) ------------------------------------------------------------------------------------------

CREATE TABLE price_quotes (
  quote_id      text NOT NULL,
  -- The account that asked, and that alone may call by it
  user_id       text NOT NULL,
  agent_id      text NOT NULL,
  version_id    text NOT NULL,
  input_sha256  text NOT NULL,
  -- It offers the price before that of its version, which was announced
  is_former     boolean NOT NULL,
  expires_at    timestamptz NOT NULL,
  CONSTRAINT price_quotes_pkey PRIMARY KEY (quote_id),
  CONSTRAINT price_quotes_quote_id_check CHECK (quote_id ~ '^quo_[0-9a-f]{32}$'),
  CONSTRAINT price_quotes_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX price_quotes_expired ON price_quotes (expires_at);
GRANT SELECT, INSERT, DELETE ON price_quotes TO market_app;

-- The calls that were accepted by a quote; a quote buys one call that does not fail
CREATE TABLE quoted_calls (
  invocation_id  text NOT NULL,
  quote_id       text NOT NULL,
  is_former      boolean NOT NULL,
  CONSTRAINT quoted_calls_pkey PRIMARY KEY (invocation_id)
);
CREATE INDEX quoted_calls_quote ON quoted_calls (quote_id);
GRANT SELECT ON quoted_calls TO market_app;

-- call metadata (0121_call_metadata.sql) ----------------------------------------------------------------------------

-- Calls by the pairs of their metadata
CREATE TABLE call_tags (
  buyer_user_id  text NOT NULL,
  -- Name, = and value; names contain no =
  tag            text NOT NULL,
  invocation_id  text NOT NULL,
  CONSTRAINT call_tags_pkey PRIMARY KEY (buyer_user_id, tag, invocation_id)
);
GRANT SELECT ON call_tags TO market_app;

-- spend_days for each pair of the metadata of calls: a call with two pairs is in two sums
CREATE TABLE spend_tag_days (
  buyer_user_id   text NOT NULL,
  day             date NOT NULL,
  tag             text NOT NULL,
  agent_id        text NOT NULL,
  key_id          text NOT NULL,
  calls           bigint NOT NULL,
  charged_units   bigint NOT NULL,
  member_user_id  text NOT NULL DEFAULT '',
  CONSTRAINT spend_tag_days_pkey PRIMARY KEY (buyer_user_id, day, tag, agent_id, key_id, member_user_id)
) WITH (fillfactor = 70);
GRANT SELECT ON spend_tag_days TO market_app;

-- budgets (0122_budgets.sql) ----------------------------------------------------------------------------------------

-- What an account allows its calls to cost in a window
CREATE TABLE budgets (
  budget_id        text NOT NULL,
  user_id          text NOT NULL,
  -- A pair of metadata, such as project=atlas; null: all calls of the account
  tag              text,
  cap_units        bigint NOT NULL,
  cap_window       text NOT NULL,
  window_began_at  timestamptz NOT NULL,
  window_ends_at   timestamptz,
  -- Charges of calls that were accepted in the window and were not taken back; kept by budget_count_spending
  window_units     bigint NOT NULL DEFAULT 0,
  created_at       timestamptz NOT NULL DEFAULT now(),
  -- The highest percentage of the budget for which a notice was written in its window
  told_percent     smallint NOT NULL DEFAULT 0,
  -- The member of the organisation whose calls count; it ends with the membership. Null: a budget of the account
  member_user_id   text,
  CONSTRAINT budgets_pkey PRIMARY KEY (budget_id),
  CONSTRAINT budgets_one_each UNIQUE NULLS NOT DISTINCT (user_id, member_user_id, tag, cap_window),
  CONSTRAINT budgets_budget_id_check CHECK (budget_id ~ '^bgt_[0-9a-f]{32}$'),
  CONSTRAINT budgets_cap_units_check CHECK (cap_units >= 0),
  CONSTRAINT budgets_cap_window_check CHECK (cap_window IN ('lifetime', 'day', 'week', 'month')),
  CONSTRAINT budgets_check CHECK ((window_ends_at IS NULL) = (cap_window = 'lifetime')),
  CONSTRAINT budgets_of_members_have_no_tag CHECK (member_user_id IS NULL OR tag IS NULL),
  CONSTRAINT budgets_tag_check CHECK (length(tag) >= 3 AND length(tag) <= 141),
  CONSTRAINT budgets_told_percent_check CHECK (told_percent IN (0, 80, 100)),
  CONSTRAINT budgets_window_units_check CHECK (window_units >= 0),
  CONSTRAINT budgets_of_members FOREIGN KEY (user_id, member_user_id) REFERENCES organisation_members(org_id,
    user_id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT budgets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX budgets_of_member ON budgets (user_id, member_user_id) WHERE (member_user_id IS NOT NULL);
GRANT SELECT ON budgets TO market_app;

-- narrower keys (0123_narrower_keys.sql) ----------------------------------------------------------------------------

-- An account gets a notice when its wallet holds less
CREATE TABLE balance_alerts (
  user_id      text NOT NULL,
  below_units  bigint NOT NULL,
  -- Null while the wallet holds as much
  told_at      timestamptz,
  CONSTRAINT balance_alerts_pkey PRIMARY KEY (user_id),
  CONSTRAINT balance_alerts_below_units_check CHECK (below_units > 0),
  CONSTRAINT balance_alerts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
GRANT SELECT, INSERT, UPDATE (below_units, told_at), DELETE ON balance_alerts TO market_app;

-- From which networks accounts were logged in within a year
CREATE TABLE login_places (
  user_id   text NOT NULL,
  network   text NOT NULL,
  first_at  timestamptz NOT NULL DEFAULT now(),
  last_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT login_places_pkey PRIMARY KEY (user_id, network),
  CONSTRAINT login_places_network_check CHECK (length(network) <= 100)
);
CREATE INDEX login_places_network ON login_places (network);
CREATE TRIGGER login_places_owner_signs AFTER INSERT ON login_places FOR EACH ROW
  EXECUTE FUNCTION owner_signs_of_login();
GRANT SELECT ON login_places TO market_app;

-- payment providers (0125_payment_providers.sql) --------------------------------------------------------------------

-- Payment methods that payers have saved at a provider, by its ids; no card data
CREATE TABLE saved_methods (
  method_id     text NOT NULL,
  user_id       text NOT NULL,
  provider      text NOT NULL,
  customer_ref  text NOT NULL,
  method_ref    text NOT NULL,
  label         text NOT NULL,
  -- That of the payment that saved it
  currency      text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  CONSTRAINT saved_methods_pkey PRIMARY KEY (method_id),
  CONSTRAINT saved_methods_once UNIQUE (provider, method_ref),
  CONSTRAINT saved_methods_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT saved_methods_customer_ref_check CHECK (length(customer_ref) >= 1 AND length(customer_ref) <= 100),
  CONSTRAINT saved_methods_label_check CHECK (length(label) >= 1 AND length(label) <= 100),
  CONSTRAINT saved_methods_method_id_check CHECK (method_id ~ '^svm_[0-9a-f]{32}$'),
  CONSTRAINT saved_methods_method_ref_check CHECK (length(method_ref) >= 1 AND length(method_ref) <= 100),
  CONSTRAINT saved_methods_provider_check CHECK (provider IN ('sandbox', 'razorpay', 'stripe')),
  CONSTRAINT saved_methods_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX saved_methods_customer ON saved_methods (user_id, provider, method_id DESC);
CREATE INDEX saved_methods_user ON saved_methods (user_id, method_id DESC) WHERE (ended_at IS NULL);
GRANT SELECT ON saved_methods TO market_app;

-- automatic topups (0126_automatic_topups.sql) ----------------------------------------------------------------------

-- Accounts whose wallets are topped up when they hold less
CREATE TABLE auto_topups (
  user_id          text NOT NULL,
  method_id        text NOT NULL,
  below_units      bigint NOT NULL,
  buy_units        bigint NOT NULL,
  max_per_day      integer NOT NULL,
  max_month_units  bigint NOT NULL,
  -- Automatic top-ups that failed one after the other; it stops after three
  failed           integer NOT NULL DEFAULT 0,
  -- No automatic top-up begins before: after a failure, and at the most of a day or month
  try_at           timestamptz NOT NULL DEFAULT now(),
  stopped_for      text,
  updated_at       timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT auto_topups_pkey PRIMARY KEY (user_id),
  CONSTRAINT auto_topups_below_units_check CHECK (below_units > 0),
  CONSTRAINT auto_topups_buy_units_check CHECK (buy_units > 0),
  CONSTRAINT auto_topups_check CHECK (max_month_units >= buy_units),
  CONSTRAINT auto_topups_failed_check CHECK (failed >= 0 AND failed <= 3),
  CONSTRAINT auto_topups_max_per_day_check CHECK (max_per_day >= 1 AND max_per_day <= 24),
  CONSTRAINT auto_topups_stopped_for_check CHECK (stopped_for IN ('failed', 'method_ended')),
  CONSTRAINT auto_topups_method_id_fkey FOREIGN KEY (method_id) REFERENCES saved_methods(method_id),
  CONSTRAINT auto_topups_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX auto_topups_method ON auto_topups (method_id);
CREATE INDEX auto_topups_on ON auto_topups (user_id) WHERE (stopped_for IS NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON auto_topups TO market_app;

-- x402 payments (0130_x402_payments.sql) ----------------------------------------------------------------------------

-- Payments of callers without an account, one for each authorization
CREATE TABLE x402_payments (
  payment_id     text NOT NULL,
  user_id        text NOT NULL,
  network        text NOT NULL,
  asset          text NOT NULL,
  payer          text NOT NULL,
  nonce          text NOT NULL,
  pay_to         text NOT NULL,
  amount_minor   bigint NOT NULL,
  amount_units   bigint NOT NULL,
  identifier     text,
  -- Of the authorization and its signature: who sends the same again is its payer
  proof_sha256   text NOT NULL,
  agent_id       text NOT NULL,
  input_sha256   text NOT NULL,
  -- The call that it pays, or that it paid last; null if none was accepted
  invocation_id  text,
  state          text NOT NULL,
  -- How often the wallet was credited; the credits are there while it is held or settled
  credits        smallint NOT NULL DEFAULT 0,
  valid_before   timestamptz NOT NULL,
  -- No earlier block has the payment
  from_block     bigint NOT NULL,
  -- When it was last sent to be settled; null before
  sent_at        timestamptz,
  tx_hash        text,
  reason         text,
  trace_id       text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- When the loop looks at it next; null once it has ended
  due_at         timestamptz,
  ended_at       timestamptz,
  CONSTRAINT x402_payments_pkey PRIMARY KEY (payment_id),
  CONSTRAINT x402_payments_network_asset_payer_nonce_key UNIQUE (network, asset, payer, nonce),
  CONSTRAINT x402_payments_user_id_identifier_key UNIQUE (user_id, identifier),
  CONSTRAINT x402_payments_amount_minor_check CHECK (amount_minor > 0),
  CONSTRAINT x402_payments_amount_units_check CHECK (amount_units > 0),
  CONSTRAINT x402_payments_asset_check CHECK (asset ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_payments_check CHECK ((state IN ('settled', 'expired')) = (ended_at IS NOT NULL)),
  CONSTRAINT x402_payments_check1 CHECK ((ended_at IS NULL) = (due_at IS NOT NULL)),
  CONSTRAINT x402_payments_check2 CHECK (state <> 'settled' OR tx_hash IS NOT NULL),
  CONSTRAINT x402_payments_credits_check CHECK (credits >= 0),
  CONSTRAINT x402_payments_from_block_check CHECK (from_block >= 0),
  CONSTRAINT x402_payments_identifier_check CHECK (length(identifier) >= 16 AND length(identifier) <= 128),
  CONSTRAINT x402_payments_input_sha256_check CHECK (length(input_sha256) <= 64),
  CONSTRAINT x402_payments_network_check CHECK (network ~ '^eip155:[0-9]{1,20}$'),
  CONSTRAINT x402_payments_nonce_check CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
  CONSTRAINT x402_payments_pay_to_check CHECK (pay_to ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_payments_payer_check CHECK (payer ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_payments_payment_id_check CHECK (payment_id ~ '^xpm_[0-9a-f]{32}$'),
  CONSTRAINT x402_payments_proof_sha256_check CHECK (proof_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT x402_payments_reason_check CHECK (length(reason) <= 80),
  CONSTRAINT x402_payments_state_check CHECK (state IN ('held', 'released', 'settled', 'expired')),
  CONSTRAINT x402_payments_trace_id_check CHECK (length(trace_id) <= 64),
  CONSTRAINT x402_payments_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
  CONSTRAINT x402_payments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
) WITH (fillfactor = 70);
CREATE INDEX x402_payments_call ON x402_payments (invocation_id);
CREATE INDEX x402_payments_due ON x402_payments (due_at) WHERE (ended_at IS NULL);
CREATE INDEX x402_payments_held ON x402_payments (user_id) WHERE (state = 'held');
CREATE INDEX x402_payments_of ON x402_payments (user_id, payment_id DESC);
CREATE INDEX x402_payments_payer ON x402_payments (payer, payment_id DESC);
CREATE INDEX x402_payments_state ON x402_payments (state, payment_id DESC);
CREATE TRIGGER x402_payments_moves BEFORE UPDATE ON x402_payments FOR EACH ROW EXECUTE FUNCTION x402_payment_moves();
CREATE TRIGGER x402_payments_never_deleted BEFORE DELETE OR TRUNCATE ON x402_payments FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, UPDATE (due_at) ON x402_payments TO market_app;

-- x402 refunds (0131_x402_refunds.sql) ------------------------------------------------------------------------------

-- Statements that a paying address has used; each counts once
CREATE TABLE x402_sign_ins (
  address  text NOT NULL,
  nonce    text NOT NULL,
  ends_at  timestamptz NOT NULL,
  CONSTRAINT x402_sign_ins_pkey PRIMARY KEY (address, nonce),
  CONSTRAINT x402_sign_ins_address_check CHECK (address ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_sign_ins_nonce_check CHECK (length(nonce) >= 8 AND length(nonce) <= 64)
);
CREATE INDEX x402_sign_ins_ended ON x402_sign_ins (ends_at);
GRANT SELECT, INSERT, DELETE ON x402_sign_ins TO market_app;

-- Credits that are sent back to a paying address, each by one transfer of the treasury
CREATE TABLE x402_refunds (
  refund_id     text NOT NULL,
  user_id       text NOT NULL,
  network       text NOT NULL,
  asset         text NOT NULL,
  treasury      text NOT NULL,
  pay_to        text NOT NULL,
  nonce         text NOT NULL,
  amount_units  bigint NOT NULL,
  amount_minor  bigint NOT NULL,
  state         text NOT NULL DEFAULT 'pending',
  reason        text,
  valid_before  timestamptz NOT NULL,
  from_block    bigint NOT NULL,
  -- The signed transfer
  sealed        bytea NOT NULL,
  tx_hash       text,
  trace_id      text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  due_at        timestamptz DEFAULT now(),
  ended_at      timestamptz,
  CONSTRAINT x402_refunds_pkey PRIMARY KEY (refund_id),
  CONSTRAINT x402_refunds_network_asset_treasury_nonce_key UNIQUE (network, asset, treasury, nonce),
  CONSTRAINT x402_refunds_amount_minor_check CHECK (amount_minor > 0),
  CONSTRAINT x402_refunds_amount_units_check CHECK (amount_units > 0),
  CONSTRAINT x402_refunds_asset_check CHECK (asset ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_refunds_check CHECK ((state IN ('confirmed', 'failed')) = (ended_at IS NOT NULL)),
  CONSTRAINT x402_refunds_check1 CHECK ((ended_at IS NULL) = (due_at IS NOT NULL)),
  CONSTRAINT x402_refunds_from_block_check CHECK (from_block >= 0),
  CONSTRAINT x402_refunds_network_check CHECK (network ~ '^eip155:[0-9]{1,20}$'),
  CONSTRAINT x402_refunds_nonce_check CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
  CONSTRAINT x402_refunds_pay_to_check CHECK (pay_to ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_refunds_reason_check CHECK (length(reason) <= 80),
  CONSTRAINT x402_refunds_refund_id_check CHECK (refund_id ~ '^xrf_[0-9a-f]{32}$'),
  CONSTRAINT x402_refunds_state_check CHECK (state IN ('pending', 'unknown', 'submitted', 'confirmed', 'failed')),
  CONSTRAINT x402_refunds_trace_id_check CHECK (length(trace_id) <= 64),
  CONSTRAINT x402_refunds_treasury_check CHECK (treasury ~ '^0x[0-9a-f]{40}$'),
  CONSTRAINT x402_refunds_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
  CONSTRAINT x402_refunds_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
) WITH (fillfactor = 70);
CREATE INDEX x402_refunds_due ON x402_refunds (due_at) WHERE (ended_at IS NULL);
CREATE INDEX x402_refunds_of ON x402_refunds (user_id, refund_id DESC);
CREATE TRIGGER x402_refunds_moves BEFORE UPDATE ON x402_refunds FOR EACH ROW EXECUTE FUNCTION x402_refund_moves();
CREATE TRIGGER x402_refunds_never_deleted BEFORE DELETE OR TRUNCATE ON x402_refunds FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, UPDATE (sealed, due_at) ON x402_refunds TO market_app;

-- partial refunds (0134_partial_refunds.sql) ------------------------------------------------------------------------

-- Parts of charges that developers offer to return; the newest offer of a dispute alone may be open
CREATE TABLE dispute_offers (
  offer_id     text NOT NULL,
  dispute_id   text NOT NULL,
  units        bigint NOT NULL,
  text_id      text,
  -- replaced: by a newer offer; ended: with its dispute
  status       text NOT NULL DEFAULT 'open',
  offered_at   timestamptz NOT NULL,
  answered_at  timestamptz,
  CONSTRAINT dispute_offers_pkey PRIMARY KEY (offer_id),
  CONSTRAINT dispute_offers_answered CHECK ((status = 'open') = (answered_at IS NULL)),
  CONSTRAINT dispute_offers_offer_id_check CHECK (offer_id ~ '^dof_[0-9a-f]{32}$'),
  CONSTRAINT dispute_offers_status_check CHECK (status IN ('open', 'accepted', 'declined', 'replaced', 'ended')),
  CONSTRAINT dispute_offers_units_check CHECK (units > 0),
  CONSTRAINT dispute_offers_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(dispute_id),
  CONSTRAINT dispute_offers_text_id_fkey FOREIGN KEY (text_id) REFERENCES dispute_texts(text_id)
);
CREATE INDEX dispute_offers_dispute ON dispute_offers (dispute_id, offer_id DESC);
CREATE UNIQUE INDEX dispute_offers_one_open ON dispute_offers (dispute_id) WHERE (status = 'open');
CREATE TRIGGER dispute_offers_declined_notice AFTER UPDATE OF status ON dispute_offers FOR EACH ROW
  WHEN (new.status = 'declined') EXECUTE FUNCTION offer_declined_noted();
CREATE TRIGGER dispute_offers_event AFTER INSERT ON dispute_offers FOR EACH ROW EXECUTE FUNCTION event_of_offer();
CREATE TRIGGER dispute_offers_guard BEFORE UPDATE ON dispute_offers FOR EACH ROW
  EXECUTE FUNCTION dispute_offer_guard();
GRANT SELECT ON dispute_offers TO market_app;

CREATE VIEW all_earnings AS
  SELECT earnings.invocation_id, earnings.developer_user_id, earnings.agent_id, earnings.gross_units,
      earnings.fee_units, earnings.fee_percent, earnings.net_units, earnings.recovered_units,
      earnings.matures_at, earnings.dispute_open, earnings.clawed_back_at, earnings.late, earnings.payout_id,
      earnings.created_at, earnings.returned_units, earnings.returned_fee_units, earnings.returned_net_units
    FROM earnings
 UNION ALL
  SELECT earnings.invocation_id, earnings.developer_user_id, earnings.agent_id, earnings.gross_units,
      earnings.fee_units, earnings.fee_percent, earnings.net_units, earnings.recovered_units,
      earnings.matures_at, earnings.dispute_open, earnings.clawed_back_at, earnings.late, earnings.payout_id,
      earnings.created_at, earnings.returned_units, earnings.returned_fee_units, earnings.returned_net_units
    FROM archive.earnings;
GRANT SELECT ON all_earnings TO market_app;

-- refund receipts (0135_refund_receipts.sql) ------------------------------------------------------------------------

-- Signatures over what disputes returned of charges: a call has at most one dispute
CREATE TABLE refund_evidence (
  invocation_id  text NOT NULL,
  kid            text NOT NULL,
  signature      text NOT NULL,
  signed_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT refund_evidence_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT refund_evidence_kid_fkey FOREIGN KEY (kid) REFERENCES signing_keys(kid)
);
GRANT SELECT, INSERT ON refund_evidence TO market_app;

-- tax settings (0138_tax_settings.sql) ------------------------------------------------------------------------------

-- The issuer of invoices and the tax rates by country; the newest row counts
CREATE TABLE tax_settings (
  settings_id  text NOT NULL,
  -- The legal entity: each has series of numbers of its own, such as INV-2026 for the first and INV2-2026 for the
  -- second
  entity_no    smallint NOT NULL,
  issuer       jsonb NOT NULL,
  rates        jsonb NOT NULL,
  set_at       timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT tax_settings_pkey PRIMARY KEY (settings_id),
  CONSTRAINT tax_settings_entity_no_check CHECK (entity_no >= 1 AND entity_no <= 99),
  CONSTRAINT tax_settings_settings_id_check CHECK (settings_id ~ '^txs_[0-9a-f]{32}$')
);
CREATE TRIGGER tax_settings_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON tax_settings FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON tax_settings TO market_app;

-- invoice notes (0139_invoice_notes.sql) ----------------------------------------------------------------------------

-- What takes back a part of an invoice or all of it (credit), and what restores that (debit)
CREATE TABLE invoice_notes (
  note_id       text NOT NULL,
  kind          text NOT NULL,
  number        text NOT NULL,
  series        text NOT NULL,
  series_no     bigint NOT NULL,
  invoice_id    text NOT NULL,
  reversal_id   text NOT NULL,
  user_id       text NOT NULL,
  amount_minor  bigint NOT NULL,
  tax_minor     bigint NOT NULL,
  amount_units  bigint NOT NULL,
  issued_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT invoice_notes_pkey PRIMARY KEY (note_id),
  CONSTRAINT invoice_notes_number_key UNIQUE (number),
  CONSTRAINT invoice_notes_reversal_id_kind_key UNIQUE (reversal_id, kind),
  CONSTRAINT invoice_notes_series_series_no_key UNIQUE (series, series_no),
  CONSTRAINT invoice_notes_amount_minor_check CHECK (amount_minor > 0),
  CONSTRAINT invoice_notes_amount_units_check CHECK (amount_units >= 0),
  CONSTRAINT invoice_notes_check CHECK (tax_minor >= 0 AND tax_minor <= amount_minor),
  CONSTRAINT invoice_notes_kind_check CHECK (kind IN ('credit', 'debit')),
  CONSTRAINT invoice_notes_note_id_check CHECK (note_id ~ '^nte_[0-9a-f]{32}$'),
  CONSTRAINT invoice_notes_series_no_check CHECK (series_no > 0),
  CONSTRAINT invoice_notes_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(invoice_id),
  CONSTRAINT invoice_notes_reversal_id_fkey FOREIGN KEY (reversal_id) REFERENCES payment_reversals(reversal_id),
  CONSTRAINT invoice_notes_series_fkey FOREIGN KEY (series) REFERENCES invoice_series(series),
  CONSTRAINT invoice_notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX invoice_notes_invoice ON invoice_notes (invoice_id);
CREATE INDEX invoice_notes_user ON invoice_notes (user_id, note_id DESC);
CREATE TRIGGER invoice_notes_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON invoice_notes FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON invoice_notes TO market_app;

-- account months (0140_account_months.sql) --------------------------------------------------------------------------

-- What the wallet and the escrow of an account held at the begin of a closed month, and the sums of its movements
CREATE TABLE account_months (
  user_id        text NOT NULL,
  month          text NOT NULL,
  opening_units  bigint NOT NULL,
  -- By entry type: units and number of entries
  sums           jsonb NOT NULL,
  CONSTRAINT account_months_pkey PRIMARY KEY (user_id, month),
  CONSTRAINT account_months_month_check CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  CONSTRAINT account_months_opening_units_check CHECK (opening_units >= 0),
  CONSTRAINT account_months_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE TRIGGER account_months_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON account_months FOR EACH STATEMENT
  EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON account_months TO market_app;

-- organisations (0142_organisations.sql) ----------------------------------------------------------------------------

-- Owners with members; wallet, keys, agents and all else belong to the row of users with the same id
CREATE TABLE organisations (
  org_id                 text NOT NULL,
  contact_email          text NOT NULL,
  require_second_factor  boolean NOT NULL DEFAULT false,
  created_by             text NOT NULL,
  created_at             timestamptz NOT NULL DEFAULT now(),
  -- When a personal account became this organisation; null for one that was founded
  converted_at           timestamptz,
  -- When it ended; it has no members and takes no invitations from then on
  ended_at               timestamptz,
  -- True: members act for it only in sessions that one of its identity providers began
  require_sso            boolean NOT NULL DEFAULT false,
  CONSTRAINT organisations_pkey PRIMARY KEY (org_id),
  CONSTRAINT organisations_contact_email_check CHECK (length(contact_email) <= 254),
  CONSTRAINT organisations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(user_id),
  CONSTRAINT organisations_org_id_fkey FOREIGN KEY (org_id) REFERENCES users(user_id)
);
GRANT SELECT, INSERT, UPDATE (contact_email, require_second_factor, ended_at, require_sso) ON organisations
  TO market_app;

-- Persons who act for an organisation, and what they may do (src/domain/accounts/roles.ts)
CREATE TABLE organisation_members (
  org_id      text NOT NULL,
  user_id     text NOT NULL,
  role        text NOT NULL,
  joined_at   timestamptz NOT NULL DEFAULT now(),
  invited_by  text,
  CONSTRAINT organisation_members_pkey PRIMARY KEY (org_id, user_id),
  CONSTRAINT organisation_members_role_check CHECK (role IN ('owner', 'admin', 'finance', 'developer', 'buyer',
    'viewer')),
  CONSTRAINT organisation_members_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(user_id),
  CONSTRAINT organisation_members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT organisation_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX organisation_members_of ON organisation_members (user_id, org_id);
CREATE INDEX organisation_owners ON organisation_members (org_id) WHERE (role = 'owner');
CREATE TRIGGER organisation_members_owner_changes AFTER INSERT OR DELETE ON organisation_members FOR EACH ROW
  EXECUTE FUNCTION owner_changes_of_member();
GRANT SELECT, INSERT, UPDATE (role), DELETE ON organisation_members TO market_app;

-- Invitations that wait; an accepted or revoked one is deleted, and the audit log of the organisation keeps it
CREATE TABLE organisation_invitations (
  invitation_id  text NOT NULL,
  org_id         text NOT NULL,
  email          text NOT NULL,
  role           text NOT NULL,
  -- Of the token in the mail; null until the mail is written
  sha256         bytea,
  invited_by     text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  expires_at     timestamptz NOT NULL,
  CONSTRAINT organisation_invitations_pkey PRIMARY KEY (invitation_id),
  CONSTRAINT organisation_invitations_sha256_key UNIQUE (sha256),
  CONSTRAINT organisation_invitations_email_check CHECK (length(email) <= 254),
  CONSTRAINT organisation_invitations_invitation_id_check CHECK (invitation_id ~ '^oin_[0-9a-f]{32}$'),
  CONSTRAINT organisation_invitations_role_check CHECK (role IN ('owner', 'admin', 'finance', 'developer', 'buyer',
    'viewer')),
  CONSTRAINT organisation_invitations_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT organisation_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(user_id),
  CONSTRAINT organisation_invitations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
CREATE UNIQUE INDEX organisation_invitations_email ON organisation_invitations (org_id, lower(email));
CREATE INDEX organisation_invitations_expiry ON organisation_invitations (expires_at);
CREATE INDEX organisation_invitations_of ON organisation_invitations (org_id, invitation_id DESC);
GRANT SELECT, INSERT, UPDATE (role, sha256, expires_at), DELETE ON organisation_invitations TO market_app;

-- The audit log of organisations: one row for each request that changes something, calls excepted
CREATE TABLE organisation_actions (
  entry_id    text NOT NULL,
  org_id      text NOT NULL,
  person      text,
  key_id      text,
  -- The operation of the contract
  action      text NOT NULL,
  subject     text NOT NULL,
  details     jsonb NOT NULL DEFAULT '{}'::jsonb,
  network     text,
  user_agent  text,
  trace_id    text,
  -- done, or the code of the error; null if the process ended before
  outcome     text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT organisation_actions_pkey PRIMARY KEY (entry_id),
  CONSTRAINT organisation_actions_action_check CHECK (length(action) <= 80),
  CONSTRAINT organisation_actions_entry_id_check CHECK (entry_id ~ '^oac_[0-9a-f]{32}$'),
  CONSTRAINT organisation_actions_network_check CHECK (length(network) <= 64),
  CONSTRAINT organisation_actions_outcome_check CHECK (length(outcome) <= 60),
  CONSTRAINT organisation_actions_subject_check CHECK (length(subject) <= 200),
  CONSTRAINT organisation_actions_trace_id_check CHECK (length(trace_id) <= 64),
  CONSTRAINT organisation_actions_user_agent_check CHECK (length(user_agent) <= 200),
  CONSTRAINT organisation_actions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
CREATE INDEX organisation_actions_by_action ON organisation_actions (org_id, action, entry_id DESC);
CREATE INDEX organisation_actions_by_person ON organisation_actions (org_id, person, entry_id DESC)
  WHERE (person IS NOT NULL);
CREATE INDEX organisation_actions_of ON organisation_actions (org_id, entry_id DESC);
CREATE INDEX organisation_actions_person ON organisation_actions (person) WHERE (person IS NOT NULL);
GRANT SELECT, INSERT, UPDATE (subject, details, outcome) ON organisation_actions TO market_app;

-- single sign on (0147_single_sign_on.sql) --------------------------------------------------------------------------

CREATE TABLE identity_providers (
  provider_id   text NOT NULL,
  org_id        text NOT NULL,
  name          text NOT NULL,
  issuer        text NOT NULL,
  client_id     text NOT NULL,
  -- The client secret, sealed
  sealed        bytea NOT NULL,
  -- Role of a person whose first login makes them a member
  default_role  text NOT NULL,
  enabled       boolean NOT NULL DEFAULT true,
  created_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT identity_providers_pkey PRIMARY KEY (provider_id),
  CONSTRAINT identity_providers_client_id_check CHECK (length(client_id) >= 1 AND length(client_id) <= 500),
  CONSTRAINT identity_providers_default_role_check CHECK (default_role IN ('finance', 'developer', 'buyer',
    'viewer')),
  CONSTRAINT identity_providers_issuer_check CHECK (length(issuer) <= 500),
  CONSTRAINT identity_providers_name_check CHECK (length(name) >= 1 AND length(name) <= 80),
  CONSTRAINT identity_providers_provider_id_check CHECK (provider_id ~ '^idp_[0-9a-f]{32}$'),
  CONSTRAINT identity_providers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
CREATE INDEX identity_providers_of ON identity_providers (org_id, provider_id DESC);
GRANT SELECT, INSERT, UPDATE (name, client_id, sealed, default_role, enabled), DELETE ON identity_providers
  TO market_app;

-- Domains whose addresses a provider may assert, once a TXT record has proven them
CREATE TABLE identity_provider_domains (
  provider_id  text NOT NULL,
  domain       text NOT NULL,
  -- Public: it stands in the TXT record
  token        text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  verified_at  timestamptz,
  CONSTRAINT identity_provider_domains_pkey PRIMARY KEY (provider_id, domain),
  CONSTRAINT identity_provider_domains_domain_check CHECK (length(domain) <= 253 AND domain = lower(domain)),
  CONSTRAINT identity_provider_domains_token_check CHECK (length(token) >= 20 AND length(token) <= 100),
  CONSTRAINT identity_provider_domains_provider_id_fkey FOREIGN KEY (provider_id)
    REFERENCES identity_providers(provider_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX identity_provider_domains_verified ON identity_provider_domains (domain)
  WHERE (verified_at IS NOT NULL);
GRANT SELECT, INSERT, UPDATE (verified_at), DELETE ON identity_provider_domains TO market_app;

-- The account of each subject of a provider, fixed at the first login
CREATE TABLE sso_identities (
  provider_id  text NOT NULL,
  subject      text NOT NULL,
  user_id      text NOT NULL,
  linked_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sso_identities_pkey PRIMARY KEY (provider_id, subject),
  CONSTRAINT sso_identities_provider_id_user_id_key UNIQUE (provider_id, user_id),
  CONSTRAINT sso_identities_subject_check CHECK (length(subject) >= 1 AND length(subject) <= 255),
  CONSTRAINT sso_identities_provider_id_fkey FOREIGN KEY (provider_id)
    REFERENCES identity_providers(provider_id) ON DELETE CASCADE,
  CONSTRAINT sso_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX sso_identities_user ON sso_identities (user_id);
GRANT SELECT, INSERT, DELETE ON sso_identities TO market_app;

-- Logins that a browser began at a provider; each is used once
CREATE TABLE sso_attempts (
  state_sha256    bytea NOT NULL,
  browser_sha256  bytea NOT NULL,
  provider_id     text NOT NULL,
  return_to       text NOT NULL,
  expires_at      timestamptz NOT NULL,
  CONSTRAINT sso_attempts_pkey PRIMARY KEY (state_sha256),
  CONSTRAINT sso_attempts_browser_sha256_check CHECK (length(browser_sha256) = 32),
  CONSTRAINT sso_attempts_return_to_check CHECK (length(return_to) <= 500),
  CONSTRAINT sso_attempts_state_sha256_check CHECK (length(state_sha256) = 32),
  CONSTRAINT sso_attempts_provider_id_fkey FOREIGN KEY (provider_id)
    REFERENCES identity_providers(provider_id) ON DELETE CASCADE
);
CREATE INDEX sso_attempts_expired ON sso_attempts (expires_at);
CREATE INDEX sso_attempts_provider ON sso_attempts (provider_id);
GRANT SELECT, INSERT, DELETE ON sso_attempts TO market_app;

-- agent visibility (0150_agent_visibility.sql) ----------------------------------------------------------------------

-- The accounts and organisations that see a private agent, at most 1,000 of an agent
CREATE TABLE agent_audience (
  agent_id  text NOT NULL,
  owner_id  text NOT NULL,
  -- The id by which the owner of the agent added the account: its own, or that of its developer
  named_as  text NOT NULL,
  added_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT agent_audience_pkey PRIMARY KEY (agent_id, owner_id),
  CONSTRAINT agent_audience_named_as_check CHECK (length(named_as) >= 1 AND length(named_as) <= 100),
  CONSTRAINT agent_audience_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT agent_audience_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(user_id)
);
CREATE INDEX agent_audience_owner ON agent_audience (owner_id, agent_id);
GRANT SELECT, INSERT, DELETE ON agent_audience TO market_app;

-- access requests (0151_access_requests.sql) ------------------------------------------------------------------------

-- The link of an agent by which accounts may ask for access; its token is stored as a hash
CREATE TABLE agent_access_links (
  agent_id      text NOT NULL,
  token_sha256  bytea NOT NULL,
  made_at       timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT agent_access_links_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agent_access_links_token_sha256_key UNIQUE (token_sha256),
  CONSTRAINT agent_access_links_token_sha256_check CHECK (octet_length(token_sha256) = 32),
  CONSTRAINT agent_access_links_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_access_links TO market_app;

-- Accounts that asked to see a private agent
CREATE TABLE agent_access_requests (
  request_id         text NOT NULL,
  agent_id           text NOT NULL,
  -- The owner of the agent, who decides
  developer_user_id  text NOT NULL,
  -- The account or organisation that asks
  owner_id           text NOT NULL,
  reason             text NOT NULL,
  state              text NOT NULL DEFAULT 'pending',
  asked_at           timestamptz NOT NULL DEFAULT now(),
  decided_at         timestamptz,
  CONSTRAINT agent_access_requests_pkey PRIMARY KEY (request_id),
  CONSTRAINT agent_access_requests_decided CHECK ((state = 'pending') = (decided_at IS NULL)),
  CONSTRAINT agent_access_requests_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 1000),
  CONSTRAINT agent_access_requests_request_id_check CHECK (request_id ~ '^acr_[0-9a-f]{32}$'),
  CONSTRAINT agent_access_requests_state_check CHECK (state IN ('pending', 'granted', 'refused')),
  CONSTRAINT agent_access_requests_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT agent_access_requests_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id),
  CONSTRAINT agent_access_requests_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(user_id)
);
CREATE INDEX agent_access_requests_agent ON agent_access_requests (agent_id, request_id DESC);
CREATE INDEX agent_access_requests_owner ON agent_access_requests (owner_id, request_id DESC);
CREATE UNIQUE INDEX agent_access_requests_pending ON agent_access_requests (agent_id, owner_id)
  WHERE (state = 'pending');
CREATE INDEX agent_access_requests_waiting ON agent_access_requests (developer_user_id, request_id DESC)
  WHERE (state = 'pending');
CREATE TRIGGER agent_access_requests_notice AFTER INSERT OR UPDATE OF state ON agent_access_requests FOR EACH ROW
  EXECUTE FUNCTION access_request_noted();
GRANT SELECT, INSERT, UPDATE ON agent_access_requests TO market_app;

-- account exports (0153_account_exports.sql) ------------------------------------------------------------------------

-- Exports that accounts requested. At most one of an account is open
CREATE TABLE account_exports (
  export_id            text NOT NULL,
  user_id              text NOT NULL,
  state                text NOT NULL DEFAULT 'waiting',
  requested_at         timestamptz NOT NULL DEFAULT now(),
  -- When the engine last confirmed its workflow
  workflow_started_at  timestamptz,
  -- Parts of earlier attempts are refused
  attempt              integer NOT NULL DEFAULT 0,
  -- The time of the snapshot that the archive contains
  snapshot_at          timestamptz,
  ended_at             timestamptz,
  expires_at           timestamptz,
  bytes                bigint,
  rows                 bigint,
  sha256               text,
  -- When the parts of an export that failed or expired were deleted
  parts_gone_at        timestamptz,
  CONSTRAINT account_exports_pkey PRIMARY KEY (export_id),
  CONSTRAINT account_exports_attempt_check CHECK (attempt >= 0),
  CONSTRAINT account_exports_bytes_check CHECK (bytes > 0),
  CONSTRAINT account_exports_end CHECK ((state IN ('waiting', 'running')) = (ended_at IS NULL)),
  CONSTRAINT account_exports_export_id_check CHECK (export_id ~ '^exp_[0-9a-f]{32}$'),
  CONSTRAINT account_exports_rows_check CHECK (rows >= 0),
  CONSTRAINT account_exports_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT account_exports_state_check CHECK (state IN ('waiting', 'running', 'ready', 'failed', 'expired')),
  CONSTRAINT account_exports_whole CHECK ((state <> ALL (ARRAY['ready', 'expired'])) OR num_nulls(snapshot_at,
    expires_at, bytes, rows, sha256) = 0),
  CONSTRAINT account_exports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX account_exports_failed ON account_exports (ended_at) WHERE (state = 'failed');
CREATE UNIQUE INDEX account_exports_open ON account_exports (user_id) WHERE (state IN ('waiting', 'running'));
CREATE INDEX account_exports_parts ON account_exports (ended_at) WHERE ((state IN ('failed', 'expired'))
  AND (parts_gone_at IS NULL));
CREATE INDEX account_exports_ready ON account_exports (expires_at) WHERE (state = 'ready');
CREATE INDEX account_exports_unended ON account_exports (COALESCE(workflow_started_at, '-infinity'::timestamptz))
  WHERE (state IN ('waiting', 'running'));
CREATE INDEX account_exports_user ON account_exports (user_id, export_id DESC);
CREATE INDEX account_exports_waiting ON account_exports (requested_at) WHERE (state IN ('waiting', 'running'));
GRANT SELECT, INSERT, UPDATE ON account_exports TO market_app;

-- The archives of exports in pieces; deleted when the export expires
CREATE TABLE account_export_parts (
  part_id    text NOT NULL GENERATED ALWAYS AS ((export_id || ' ') || number) STORED,
  export_id  text NOT NULL,
  number     integer NOT NULL,
  -- Envelope-encrypted piece; the context is the export and the number
  sealed     bytea NOT NULL,
  CONSTRAINT account_export_parts_pkey PRIMARY KEY (part_id),
  CONSTRAINT account_export_parts_export_id_number_key UNIQUE (export_id, number),
  CONSTRAINT account_export_parts_number_check CHECK (number >= 0),
  CONSTRAINT account_export_parts_export_id_fkey FOREIGN KEY (export_id) REFERENCES account_exports(export_id)
);
GRANT SELECT, INSERT, DELETE ON account_export_parts TO market_app;

-- account deletions (0154_account_deletions.sql) --------------------------------------------------------------------

-- Deletions that accounts requested. At most one of an account is open
CREATE TABLE account_deletions (
  deletion_id          text NOT NULL,
  user_id              text NOT NULL,
  -- confirmable: its mail asks for the confirmation; confirmed: it waits until nothing blocks it; lapsed: it was not
  -- confirmed
  state                text NOT NULL DEFAULT 'requested',
  -- The account gives up the credits that are left in its wallet
  forfeits             boolean NOT NULL,
  requested_at         timestamptz NOT NULL DEFAULT now(),
  confirm_from         timestamptz NOT NULL,
  confirmed_at         timestamptz,
  -- What blocked it at the last look (account_delete_blocks)
  blocked_by           text[] NOT NULL DEFAULT '{}'[],
  ended_at             timestamptz,
  -- When backups from before the deletion have ended
  gone_by              timestamptz,
  -- When the engine last confirmed its workflow
  workflow_started_at  timestamptz,
  -- Organisations whose memberships ended when the erasure began; their logs may name the person
  left_organisations   text[] NOT NULL DEFAULT '{}'[],
  -- When the erasure began
  erasing_at           timestamptz,
  -- The member who asked for the deletion of an organisation; null for an account of a person
  requested_by         text,
  CONSTRAINT account_deletions_pkey PRIMARY KEY (deletion_id),
  CONSTRAINT account_deletions_deletion_id_check CHECK (deletion_id ~ '^del_[0-9a-f]{32}$'),
  CONSTRAINT account_deletions_end CHECK ((state IN ('erased', 'withdrawn', 'lapsed')) = (ended_at IS NOT NULL)),
  CONSTRAINT account_deletions_gone CHECK ((state = 'erased') = (gone_by IS NOT NULL)),
  CONSTRAINT account_deletions_state_check CHECK (state IN ('requested', 'confirmable', 'confirmed', 'erasing',
    'erased', 'withdrawn', 'lapsed')),
  CONSTRAINT account_deletions_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(user_id),
  CONSTRAINT account_deletions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX account_deletions_blocked ON account_deletions (confirmed_at) WHERE ((state = 'confirmed')
  AND (blocked_by <> '{}'[]));
CREATE INDEX account_deletions_erasing ON account_deletions (erasing_at) WHERE (state = 'erasing');
CREATE UNIQUE INDEX account_deletions_open ON account_deletions (user_id) WHERE (state <> ALL (ARRAY['erased',
  'withdrawn', 'lapsed']));
CREATE INDEX account_deletions_state ON account_deletions (state, deletion_id DESC);
CREATE INDEX account_deletions_unended ON account_deletions (COALESCE(workflow_started_at,
  '-infinity'::timestamptz)) WHERE (state <> ALL (ARRAY['erased', 'withdrawn', 'lapsed']));
CREATE INDEX account_deletions_user ON account_deletions (user_id, deletion_id DESC);
GRANT SELECT, INSERT, UPDATE ON account_deletions TO market_app;

-- Whom the invoices and payouts of a deleted account named, for tax authorities
CREATE TABLE retained_records (
  user_id  text NOT NULL,
  -- Envelope-encrypted JSON of names, addresses and tax forms; the context is the account
  sealed   bytea NOT NULL,
  -- When the law no longer requires the record; it is then deleted
  ends_at  timestamptz NOT NULL,
  kept_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT retained_records_pkey PRIMARY KEY (user_id),
  CONSTRAINT retained_records_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX retained_records_end ON retained_records (ends_at);
GRANT SELECT, INSERT, DELETE ON retained_records TO market_app;

-- member budgets (0164_member_budgets.sql) --------------------------------------------------------------------------

CREATE VIEW all_invocations AS
  SELECT invocations.invocation_id, invocations.buyer_user_id, invocations.developer_user_id,
      invocations.agent_id, invocations.version_id, invocations.version, invocations.surface,
      invocations.status, invocations.price_units, invocations.free, invocations.free_month,
      invocations.max_cost_credits, invocations.idempotency_key, invocations.input_sha256,
      invocations.output_sha256, invocations.input_bytes, invocations.output_bytes, invocations.owner,
      invocations.trace_id, invocations.error_code, invocations.tokens_in, invocations.tokens_out,
      invocations.duration_ms, invocations.truncated_by, invocations.charged_units, invocations.invoked_at,
      invocations.settled_at, invocations.key_id, invocations.mandate_id, invocations.caller_user_id,
      invocations.is_task, invocations.metadata, invocations.budget_ids, invocations.returned_units,
      invocations.member_user_id
    FROM invocations
 UNION ALL
  SELECT invocations.invocation_id, invocations.buyer_user_id, invocations.developer_user_id,
      invocations.agent_id, invocations.version_id, invocations.version, invocations.surface,
      invocations.status, invocations.price_units, invocations.free, invocations.free_month,
      invocations.max_cost_credits, invocations.idempotency_key, invocations.input_sha256,
      invocations.output_sha256, invocations.input_bytes, invocations.output_bytes, invocations.owner,
      invocations.trace_id, invocations.error_code, invocations.tokens_in, invocations.tokens_out,
      invocations.duration_ms, invocations.truncated_by, invocations.charged_units, invocations.invoked_at,
      invocations.settled_at, invocations.key_id, invocations.mandate_id, invocations.caller_user_id,
      invocations.is_task, invocations.metadata, invocations.budget_ids, invocations.returned_units,
      invocations.member_user_id
    FROM archive.invocations;
GRANT SELECT ON all_invocations TO market_app;

-- organisation rules (0165_organisation_rules.sql) ------------------------------------------------------------------

-- Which agents the calls of an organisation may reach, whichever key or member makes them
CREATE TABLE organisation_rules (
  org_id       text NOT NULL,
  -- Only agents with at least this trust score may be called
  least_trust  smallint,
  -- Only agents of organisation_allowed may be called
  only_listed  boolean NOT NULL DEFAULT false,
  CONSTRAINT organisation_rules_pkey PRIMARY KEY (org_id),
  CONSTRAINT organisation_rules_least_trust_check CHECK (least_trust >= 0 AND least_trust <= 100),
  CONSTRAINT organisation_rules_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
GRANT SELECT ON organisation_rules TO market_app;

-- The agents, and the developers by the ids of their accounts: at most 1,000 of an organisation
CREATE TABLE organisation_allowed (
  org_id      text NOT NULL,
  allowed_id  text NOT NULL,
  CONSTRAINT organisation_allowed_pkey PRIMARY KEY (org_id, allowed_id),
  CONSTRAINT organisation_allowed_allowed_id_check CHECK (length(allowed_id) <= 100
    AND allowed_id ~ '^(agt|usr|org)_'),
  CONSTRAINT organisation_allowed_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
GRANT SELECT ON organisation_allowed TO market_app;

-- tool lists (0167_tool_lists.sql) ----------------------------------------------------------------------------------

-- Lists of tools of MCP agents; at most one of a version is verified
CREATE TABLE tool_lists (
  list_id     text NOT NULL,
  sequence    bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  agent_id    text NOT NULL,
  version_id  text NOT NULL,
  state       text NOT NULL,
  -- SHA-256 of the canonical JSON (RFC 8785) of the tools, sorted by name
  digest      text NOT NULL,
  -- JSON; null once the text of an old list is deleted
  tools       text,
  tool_count  integer NOT NULL,
  -- JSON: what differs from the list that was verified before, up to a size
  changes     text NOT NULL,
  -- The run that looked at the list; null while a candidate waits for one
  run_id      text,
  -- The first list of a version that served before lists were verified; no run has looked at it yet
  taken_over  boolean NOT NULL DEFAULT false,
  reason      text,
  signature   text,
  seen_at     timestamptz NOT NULL DEFAULT now(),
  decided_at  timestamptz,
  CONSTRAINT tool_lists_pkey PRIMARY KEY (list_id),
  CONSTRAINT tool_lists_sequence_key UNIQUE (sequence),
  CONSTRAINT tool_lists_decided CHECK ((state = 'candidate') = (decided_at IS NULL)),
  CONSTRAINT tool_lists_digest_check CHECK (digest ~ '^[0-9a-f]{64}$'),
  CONSTRAINT tool_lists_kept CHECK ((state <> ALL (ARRAY['candidate', 'verified'])) OR tools IS NOT NULL),
  CONSTRAINT tool_lists_list_id_check CHECK (list_id ~ '^tls_[0-9a-f]{32}$'),
  CONSTRAINT tool_lists_state_check CHECK (state IN ('candidate', 'verified', 'refused', 'replaced')),
  CONSTRAINT tool_lists_tool_count_check CHECK (tool_count >= 0),
  CONSTRAINT tool_lists_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT tool_lists_run_id_fkey FOREIGN KEY (run_id) REFERENCES verification_runs(run_id),
  CONSTRAINT tool_lists_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX tool_lists_agent ON tool_lists (agent_id, sequence DESC);
CREATE INDEX tool_lists_candidates ON tool_lists (seen_at) WHERE (state = 'candidate');
CREATE UNIQUE INDEX tool_lists_run ON tool_lists (run_id) WHERE (run_id IS NOT NULL);
CREATE UNIQUE INDEX tool_lists_verified ON tool_lists (version_id) WHERE (state = 'verified');
CREATE INDEX tool_lists_version ON tool_lists (version_id, sequence DESC);
CREATE UNIQUE INDEX tool_lists_waiting ON tool_lists (version_id) WHERE ((state = 'candidate') AND (run_id IS NULL));
GRANT SELECT, INSERT, UPDATE, DELETE ON tool_lists TO market_app;

-- The list of tools that the server of a version last gave
CREATE TABLE tool_watches (
  version_id  text NOT NULL,
  agent_id    text NOT NULL,
  digest      text NOT NULL,
  -- Tools of the verified list that the server no longer lists
  gone        text[] NOT NULL DEFAULT '{}'[],
  -- When a verification is asked for; null if none is needed
  due_at      timestamptz,
  asked_at    timestamptz,
  changed_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT tool_watches_pkey PRIMARY KEY (version_id),
  CONSTRAINT tool_watches_digest_check CHECK (digest ~ '^[0-9a-f]{64}$'),
  CONSTRAINT tool_watches_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT tool_watches_version_id_fkey FOREIGN KEY (version_id) REFERENCES agent_versions(version_id)
);
CREATE INDEX tool_watches_due ON tool_watches (due_at) WHERE (due_at IS NOT NULL);
GRANT SELECT, INSERT, UPDATE ON tool_watches TO market_app;

-- acceptance (0178_acceptance.sql) ----------------------------------------------------------------------------------

-- The calls whose buyers have set tests for the answer, and whether it passed
CREATE TABLE call_acceptances (
  invocation_id   text NOT NULL,
  -- The caller, who set the tests, also if the issuer of a mandate pays
  author_user_id  text NOT NULL,
  agent_id        text NOT NULL,
  -- SHA-256 of the canonical JSON (RFC 8785) of the tests
  sha256          text NOT NULL,
  -- Null until the answer was tested, and if it never was
  passed          boolean,
  judged_at       timestamptz,
  CONSTRAINT call_acceptances_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT call_acceptances_judged CHECK ((passed IS NULL) = (judged_at IS NULL)),
  CONSTRAINT call_acceptances_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$')
);
CREATE INDEX call_acceptances_author ON call_acceptances (author_user_id, invocation_id DESC)
  WHERE (passed IS NOT NULL);
CREATE INDEX call_acceptances_failed ON call_acceptances (agent_id, author_user_id) WHERE (NOT passed);
GRANT SELECT ON call_acceptances TO market_app;

-- warranties (0179_warranties.sql) ----------------------------------------------------------------------------------

-- The buyers of the month of a broken warranty
CREATE TABLE slash_buyers (
  slash_id       text NOT NULL,
  buyer_user_id  text NOT NULL,
  -- What the calls of the month had cost the buyer when the warranty was decided
  weight_units   bigint NOT NULL,
  refund_units   bigint,
  CONSTRAINT slash_buyers_pkey PRIMARY KEY (slash_id, buyer_user_id),
  CONSTRAINT slash_buyers_refund_units_check CHECK (refund_units >= 0),
  CONSTRAINT slash_buyers_weight_units_check CHECK (weight_units > 0),
  CONSTRAINT slash_buyers_slash_id_fkey FOREIGN KEY (slash_id) REFERENCES slashes(slash_id)
);
CREATE INDEX slash_buyers_buyer ON slash_buyers (buyer_user_id);
GRANT SELECT ON slash_buyers TO market_app;

-- Whether an agent kept its warranty in a UTC month
CREATE TABLE warranty_months (
  agent_id    text NOT NULL,
  month       date NOT NULL,
  outcome     text NOT NULL,
  terms       jsonb NOT NULL,
  figures     jsonb NOT NULL,
  -- Null for a broken month if the bond was empty, or nothing was charged
  slash_id    text,
  decided_at  timestamptz NOT NULL,
  CONSTRAINT warranty_months_pkey PRIMARY KEY (agent_id, month),
  CONSTRAINT warranty_months_slash_id_key UNIQUE (slash_id),
  CONSTRAINT warranty_months_month_check CHECK (EXTRACT(day FROM month) = 1::numeric),
  CONSTRAINT warranty_months_outcome_check CHECK (outcome IN ('kept', 'broken', 'few_calls')),
  CONSTRAINT warranty_months_paid CHECK (slash_id IS NULL OR outcome = 'broken'),
  CONSTRAINT warranty_months_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT warranty_months_slash_id_fkey FOREIGN KEY (slash_id) REFERENCES slashes(slash_id)
);
GRANT SELECT ON warranty_months TO market_app;

-- owner relations (0185_owner_relations.sql) ------------------------------------------------------------------------

-- Signs by which accounts are known to belong together; accounts with an equal one are related
CREATE TABLE owner_signs (
  kind      text NOT NULL,
  -- SHA-256 of the sign
  value     text NOT NULL,
  user_id   text NOT NULL,
  first_at  timestamptz NOT NULL DEFAULT now(),
  last_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT owner_signs_pkey PRIMARY KEY (kind, value, user_id),
  CONSTRAINT owner_signs_kind_check CHECK (kind IN ('payment_method', 'address', 'device')),
  CONSTRAINT owner_signs_value_check CHECK (value ~ '^[0-9a-f]{64}$'),
  CONSTRAINT owner_signs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX owner_signs_user ON owner_signs (user_id);
GRANT SELECT ON owner_signs TO market_app;

-- Accounts that signs connect, under the id of the least of them; an account without a row is alone
CREATE TABLE owner_groups (
  user_id   text NOT NULL,
  group_id  text NOT NULL,
  CONSTRAINT owner_groups_pkey PRIMARY KEY (user_id),
  CONSTRAINT owner_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES users(user_id),
  CONSTRAINT owner_groups_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
);
CREATE INDEX owner_groups_group ON owner_groups (group_id);
GRANT SELECT ON owner_groups TO market_app;

-- Pairs of accounts between which money of paid calls flows in a circle, with the figures by which it was found
CREATE TABLE owner_circles (
  first_user_id   text NOT NULL,
  second_user_id  text NOT NULL,
  -- Of the sums along the circle in its three months
  smallest_units  bigint NOT NULL,
  largest_units   bigint NOT NULL,
  -- The third account of a circle of three
  through         text,
  found_at        timestamptz NOT NULL DEFAULT now(),
  last_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT owner_circles_pkey PRIMARY KEY (first_user_id, second_user_id),
  CONSTRAINT owner_circles_check CHECK (largest_units >= smallest_units),
  CONSTRAINT owner_circles_check1 CHECK (first_user_id < second_user_id),
  CONSTRAINT owner_circles_smallest_units_check CHECK (smallest_units > 0),
  CONSTRAINT owner_circles_first_user_id_fkey FOREIGN KEY (first_user_id) REFERENCES users(user_id),
  CONSTRAINT owner_circles_second_user_id_fkey FOREIGN KEY (second_user_id) REFERENCES users(user_id),
  CONSTRAINT owner_circles_through_fkey FOREIGN KEY (through) REFERENCES users(user_id)
);
GRANT SELECT ON owner_circles TO market_app;

-- What accounts paid for successful calls of agents of others, by UTC month; kept for six months
CREATE TABLE money_flows (
  payer_user_id      text NOT NULL,
  developer_user_id  text NOT NULL,
  month              date NOT NULL,
  units              bigint NOT NULL,
  -- True until owner_circles_find has looked for circles through it
  is_due             boolean NOT NULL DEFAULT true,
  CONSTRAINT money_flows_pkey PRIMARY KEY (payer_user_id, developer_user_id, month),
  CONSTRAINT money_flows_units_check CHECK (units >= 0)
);
CREATE INDEX money_flows_due ON money_flows (payer_user_id, developer_user_id, month) WHERE is_due;
CREATE INDEX money_flows_month ON money_flows (month);
GRANT SELECT ON money_flows TO market_app;

-- counted buyers (0186_counted_buyers.sql) --------------------------------------------------------------------------

-- Paid calls of an agent by UTC day and unrelated buyer, of which buyer_day_sums has the sums
CREATE TABLE counted_days (
  agent_id    text NOT NULL,
  day         date NOT NULL,
  unit_id     text NOT NULL,
  succeeded   integer NOT NULL,
  failed      integer NOT NULL,
  -- usage_bucket of the first success of the day that was no job
  bucket      smallint,
  -- The same of jobs
  job_bucket  smallint,
  CONSTRAINT counted_days_pkey PRIMARY KEY (agent_id, day, unit_id)
) WITH (fillfactor = 70);
CREATE INDEX counted_days_day ON counted_days (day);
CREATE INDEX counted_days_unit ON counted_days (unit_id, agent_id, day);
GRANT SELECT ON counted_days TO market_app;

-- Unrelated buyers of an agent, and their last day in counted_days
CREATE TABLE counted_buyers (
  agent_id  text NOT NULL,
  unit_id   text NOT NULL,
  last_day  date NOT NULL,
  CONSTRAINT counted_buyers_pkey PRIMARY KEY (agent_id, unit_id)
) WITH (fillfactor = 70);
CREATE INDEX counted_buyers_day ON counted_buyers (last_day);
CREATE INDEX counted_buyers_recent ON counted_buyers (agent_id, last_day);
GRANT SELECT ON counted_buyers TO market_app;

-- Durations of counted_days by bucket: one for each buyer of a day, and one for its jobs
CREATE TABLE counted_durations (
  agent_id  text NOT NULL,
  day       date NOT NULL,
  bucket    smallint NOT NULL,
  calls     bigint NOT NULL,
  CONSTRAINT counted_durations_pkey PRIMARY KEY (agent_id, day, bucket)
) WITH (fillfactor = 70);
CREATE INDEX counted_durations_day ON counted_durations (day);
GRANT SELECT ON counted_durations TO market_app;

-- Accounts whose relations changed, until owner_changes_apply has looked at how they are counted
CREATE TABLE owner_changes (
  user_id  text NOT NULL,
  CONSTRAINT owner_changes_pkey PRIMARY KEY (user_id)
);

-- reviews (0187_reviews.sql) ----------------------------------------------------------------------------------------

-- Reviews by buyers, one for each paid call, which has a receipt
CREATE TABLE reviews (
  review_id          text NOT NULL,
  invocation_id      text NOT NULL,
  agent_id           text NOT NULL,
  version            text NOT NULL,
  developer_user_id  text NOT NULL,
  buyer_user_id      text NOT NULL,
  -- The buyer as figures count it (counted_unit); null once it is related to the developer, and then the review is
  -- neither counted nor shown
  unit_id            text,
  rating             smallint NOT NULL,
  body               text,
  charged_units      bigint NOT NULL,
  -- By what was paid and by the history of the buyer, when it was written (review_weight)
  weight             integer NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT now(),
  answer             text,
  answered_at        timestamptz,
  removed_at         timestamptz,
  removed_by         text,
  removal_reason     text,
  CONSTRAINT reviews_pkey PRIMARY KEY (review_id),
  CONSTRAINT reviews_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT reviews_answer_check CHECK (length(answer) >= 1 AND length(answer) <= 1000),
  CONSTRAINT reviews_body_check CHECK (length(body) >= 1 AND length(body) <= 1000),
  CONSTRAINT reviews_charged_units_check CHECK (charged_units > 0),
  CONSTRAINT reviews_check CHECK (buyer_user_id <> developer_user_id),
  CONSTRAINT reviews_check1 CHECK ((removed_at IS NULL) = (removal_reason IS NULL)),
  CONSTRAINT reviews_rating_check CHECK (rating >= 1 AND rating <= 5),
  CONSTRAINT reviews_review_id_check CHECK (review_id ~ '^rev_[0-9a-f]{32}$'),
  CONSTRAINT reviews_weight_check CHECK (weight >= 1 AND weight <= 100),
  CONSTRAINT reviews_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT reviews_buyer_user_id_fkey FOREIGN KEY (buyer_user_id) REFERENCES users(user_id),
  CONSTRAINT reviews_developer_user_id_fkey FOREIGN KEY (developer_user_id) REFERENCES users(user_id),
  CONSTRAINT reviews_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocation_evidence(invocation_id),
  CONSTRAINT reviews_removed_by_fkey FOREIGN KEY (removed_by) REFERENCES users(user_id)
);
CREATE INDEX reviews_agent ON reviews (agent_id, review_id DESC) WHERE ((removed_at IS NULL)
  AND (unit_id IS NOT NULL));
CREATE INDEX reviews_buyer ON reviews (buyer_user_id, review_id DESC);
CREATE INDEX reviews_developer ON reviews (developer_user_id, review_id DESC);
CREATE INDEX reviews_unit ON reviews (agent_id, unit_id, review_id DESC) WHERE (removed_at IS NULL);
CREATE TRIGGER reviews_counted AFTER INSERT OR UPDATE OF unit_id, removed_at ON reviews FOR EACH ROW
  EXECUTE FUNCTION review_follow();
CREATE TRIGGER reviews_guard BEFORE INSERT OR UPDATE ON reviews FOR EACH ROW EXECUTE FUNCTION review_guard();
GRANT SELECT ON reviews TO market_app;

-- The newest review of each unrelated buyer of an agent, which alone counts
CREATE TABLE review_buyers (
  agent_id   text NOT NULL,
  unit_id    text NOT NULL,
  review_id  text NOT NULL,
  rating     smallint NOT NULL,
  weight     integer NOT NULL,
  CONSTRAINT review_buyers_pkey PRIMARY KEY (agent_id, unit_id),
  CONSTRAINT review_buyers_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  CONSTRAINT review_buyers_review_id_fkey FOREIGN KEY (review_id) REFERENCES reviews(review_id)
);
GRANT SELECT ON review_buyers TO market_app;

-- The sums of review_buyers
CREATE TABLE review_sums (
  agent_id    text NOT NULL,
  buyers      bigint NOT NULL,
  weight      bigint NOT NULL,
  -- The sum of rating times weight
  weighted    bigint NOT NULL,
  -- How many buyers gave one star, two, three, four and five
  stars       bigint[] NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT review_sums_pkey PRIMARY KEY (agent_id),
  CONSTRAINT review_sums_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id)
);
GRANT SELECT ON review_sums TO market_app;

-- market log (0199_market_log.sql) ----------------------------------------------------------------------------------

-- What each account had at the end of a day; rows of days without movements are as they were
CREATE TABLE market_log_balances (
  account_id    bigint NOT NULL,
  -- The last day that moved the account, of those that were read
  day           date NOT NULL,
  units         bigint NOT NULL,
  -- What it had when that day began, so that the published day can be read while the next one is made
  units_before  bigint NOT NULL,
  CONSTRAINT market_log_balances_pkey PRIMARY KEY (account_id)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON market_log_balances TO market_app;

-- The day of the market log that is being made, or was made last
CREATE TABLE market_log_work (
  only_row     boolean NOT NULL DEFAULT true,
  day          date NOT NULL,
  -- The entries of transactions with lower ids are in market_log_balances
  read_to      text NOT NULL DEFAULT '',
  -- Buckets of accounts below it have their nodes
  next_bucket  bigint NOT NULL DEFAULT 0,
  CONSTRAINT market_log_work_pkey PRIMARY KEY (only_row),
  CONSTRAINT market_log_work_next_bucket_check CHECK (next_bucket >= 0),
  CONSTRAINT market_log_work_only_row_check CHECK (only_row)
);
GRANT SELECT, INSERT, UPDATE ON market_log_work TO market_app;

-- The secret that blinds the leaves of a day; deleted when the day after is published
CREATE TABLE market_log_secrets (
  day     text NOT NULL,
  -- Envelope-encrypted; the context is the day
  sealed  bytea NOT NULL,
  CONSTRAINT market_log_secrets_pkey PRIMARY KEY (day),
  CONSTRAINT market_log_secrets_day_check CHECK (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$')
);
GRANT SELECT, INSERT, DELETE ON market_log_secrets TO market_app;

-- The nodes of the trees above their buckets, of the published day and the one that is being made
CREATE TABLE market_log_nodes (
  day       date NOT NULL,
  kind      text NOT NULL,
  level     smallint NOT NULL,
  position  bigint NOT NULL,
  units     bigint NOT NULL,
  hash      text NOT NULL,
  CONSTRAINT market_log_nodes_pkey PRIMARY KEY (day, kind, level, "position"),
  CONSTRAINT market_log_nodes_hash_check CHECK (hash ~ '^[0-9a-f]{64}$'),
  CONSTRAINT market_log_nodes_level_check CHECK (level >= 0),
  CONSTRAINT market_log_nodes_position_check CHECK ("position" >= 0),
  CONSTRAINT market_log_nodes_units_check CHECK (units >= 0)
);
GRANT SELECT, INSERT, DELETE ON market_log_nodes TO market_app;

-- The statements of the market log
CREATE TABLE market_log_days (
  day               date NOT NULL,
  statement_sha256  text NOT NULL,
  previous_sha256   text NOT NULL,
  -- Canonical JSON (RFC 8785), the payload of the seal
  statement         text NOT NULL,
  kid               text NOT NULL,
  seal              text NOT NULL,
  published_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT market_log_days_pkey PRIMARY KEY (day),
  CONSTRAINT market_log_days_hash CHECK (statement_sha256 = encode(sha256(convert_to(statement, 'UTF8')), 'hex')),
  CONSTRAINT market_log_days_previous_sha256_check CHECK (previous_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT market_log_days_statement_sha256_check CHECK (statement_sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT market_log_days_day_fkey FOREIGN KEY (day) REFERENCES ledger_digests(day),
  CONSTRAINT market_log_days_kid_fkey FOREIGN KEY (kid) REFERENCES signing_keys(kid)
);
CREATE TRIGGER market_log_days_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON market_log_days
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT, INSERT ON market_log_days TO market_app;

-- migrations themselves ---------------------------------------------------------------------------------------------

CREATE TABLE schema_migrations (
  id              integer NOT NULL DEFAULT nextval('schema_migrations_id_seq'),
  name            character varying(255),
  batch           integer,
  migration_time  timestamptz,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (id)
);
GRANT SELECT ON schema_migrations TO market_app;

CREATE TABLE schema_migrations_lock (
  index      integer NOT NULL DEFAULT nextval('schema_migrations_lock_index_seq'),
  is_locked  integer,
  CONSTRAINT schema_migrations_lock_pkey PRIMARY KEY (index)
);

CREATE TABLE schema_functions (
  name        text NOT NULL,
  sha256      text NOT NULL,
  applied_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schema_functions_pkey PRIMARY KEY (name)
);
