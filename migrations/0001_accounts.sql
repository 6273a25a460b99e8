-- Accounts of people (buyers, developers, operators): sign-in, mails, authenticator apps, sessions and API keys.

-- migrate:up

-- An email address belongs to one account, confirmed or not, without regard to case (ADR 0193). A user row opens the
-- five ledger accounts (0002).
CREATE TABLE users (
  user_id               text PRIMARY KEY CHECK (user_id ~ '^usr_[0-9a-f]{32}$'),
  email                 text NOT NULL CHECK (length(email) <= 254),
  password_hash         text NOT NULL,
  display_name          text NOT NULL CHECK (length(display_name) BETWEEN 1 AND 80),
  role                  text NOT NULL CHECK (role IN ('buyer', 'developer', 'operator')),
  developer_id          text UNIQUE CHECK (developer_id ~ '^dev_[a-z0-9]+(-[a-z0-9]+)*$'),
  registration_paid_at  timestamptz,
  email_confirmed_at    timestamptz,
  authenticator_since   timestamptz,
  created_at            timestamptz NOT NULL DEFAULT now(),
  CHECK (role <> 'developer' OR developer_id IS NOT NULL)
);
CREATE UNIQUE INDEX users_email ON users (lower(email));
CREATE INDEX users_unconfirmed ON users (user_id) WHERE email_confirmed_at IS NULL;
CREATE TRIGGER open_accounts AFTER INSERT ON users
  FOR EACH ROW EXECUTE FUNCTION ledger_open_accounts_of_new_user();
CREATE TRIGGER users_keep_accounts BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION ledger_guard_owner();

-- The table of connect-pg-simple, created here because the app role may not create tables.
CREATE TABLE sessions (
  sid     text PRIMARY KEY,
  sess    json NOT NULL,
  expire  timestamptz NOT NULL
);
CREATE INDEX sessions_expire ON sessions (expire);
CREATE INDEX sessions_user ON sessions ((sess -> 'passport' ->> 'user'));

-- Counters of requests and failed log-ins, shared by all API processes (contract, "General"). Unlogged, because
-- they are written often and a crash of Postgres may forget them.
CREATE UNLOGGED TABLE rate_limits (
  key             text PRIMARY KEY CHECK (length(key) <= 400),
  points          integer NOT NULL CHECK (points >= 0),
  window_ends_at  timestamptz NOT NULL
);
CREATE INDEX rate_limits_end ON rate_limits (window_ends_at);

-- API keys (contract, "Accounts, sessions, keys"). A key keeps its id, scopes, cap and spending when it is rotated:
-- it then has another secret. A deleted key keeps its row, because invocations name it; its secrets are deleted.
-- A row of kind oauth belongs to an OAuth grant (0017). It has no secret that X-API-Key could present, and the cap,
-- spending, expiry and deletion of a key.
CREATE TABLE api_keys (
  key_id            text PRIMARY KEY CHECK (key_id ~ '^key_[0-9a-f]{32}$'),
  user_id           text NOT NULL REFERENCES users,
  kind              text NOT NULL DEFAULT 'key' CHECK (kind IN ('key', 'oauth')),
  name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  scopes            text[] NOT NULL CHECK (cardinality(scopes) > 0),
  hint              text CHECK (length(hint) = 4),
  credit_cap_units  bigint CHECK (credit_cap_units >= 0),
  spent_units       bigint NOT NULL DEFAULT 0 CHECK (spent_units >= 0),
  expires_at        timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  last_used_at      timestamptz,
  deleted_at        timestamptz,
  CHECK (spent_units <= credit_cap_units),
  CHECK ((hint IS NULL) = (kind = 'oauth')),
  CHECK (kind = 'key' OR expires_at IS NOT NULL)
) WITH (fillfactor = 70);
COMMENT ON COLUMN api_keys.hint IS 'The last four characters of the newest secret, for people to tell keys apart';
COMMENT ON COLUMN api_keys.spent_units IS
  'Charges of calls by this key that were not taken back; kept by api_key_count_spending';
CREATE INDEX api_keys_user ON api_keys (user_id, kind, key_id DESC) WHERE deleted_at IS NULL;
CREATE INDEX api_keys_ended_grants ON api_keys (expires_at) WHERE kind = 'oauth' AND deleted_at IS NULL;

-- The SHA-256 of each secret that is valid now. Every request looks its key up here by primary key, so that a key
-- ends for every process at the moment when its row is deleted.
CREATE TABLE api_key_secrets (
  sha256    bytea PRIMARY KEY CHECK (length(sha256) = 32),
  key_id    text NOT NULL REFERENCES api_keys,
  ends_at   timestamptz
);
COMMENT ON COLUMN api_key_secrets.ends_at IS 'Set when the key was rotated: the end of the grace';
CREATE INDEX api_key_secrets_key ON api_key_secrets (key_id);

-- The outbox of mails (ADR 0077). One row for each recipient and kind: requests that come before the mail is sent, or
-- shortly after one, become one mail. A row contains no token; the sender creates it.
CREATE TABLE mails (
  recipient     text NOT NULL CHECK (length(recipient) <= 254),
  kind          text NOT NULL CHECK (length(kind) <= 40),
  subject       text NOT NULL DEFAULT '' CHECK (length(subject) <= 200),
  times         integer NOT NULL DEFAULT 1,
  changes       bigint NOT NULL DEFAULT 1,
  requested_at  timestamptz NOT NULL DEFAULT now(),
  due_at        timestamptz,
  attempts      integer NOT NULL DEFAULT 0,
  sent_at       timestamptz,
  PRIMARY KEY (recipient, kind)
);
COMMENT ON COLUMN mails.recipient IS 'User id; for a password reset the address that was asked for';
COMMENT ON COLUMN mails.subject IS 'What the mail is about, such as the id of a webhook';
COMMENT ON COLUMN mails.due_at IS 'When the next attempt is due; null if nothing is to be sent';
CREATE INDEX mails_due ON mails (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX mails_sent ON mails (sent_at) WHERE due_at IS NULL;

-- Tokens that mails contain, by their SHA-256. Used once, or until they expire.
CREATE TABLE mail_tokens (
  sha256      bytea PRIMARY KEY CHECK (length(sha256) = 32),
  user_id     text NOT NULL REFERENCES users,
  purpose     text NOT NULL CHECK (purpose IN ('confirm_email', 'reset_password', 'log_in')),
  expires_at  timestamptz NOT NULL
);
CREATE INDEX mail_tokens_user ON mail_tokens (user_id, purpose);
CREATE INDEX mail_tokens_expiry ON mail_tokens (expires_at);

-- Authenticator apps (TOTP, RFC 6238). last_step: the time step of the newest code that was used, so that no code is
-- used twice.
CREATE TABLE authenticators (
  user_id      text PRIMARY KEY REFERENCES users,
  sealed       bytea NOT NULL,
  last_step    bigint NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN authenticators.sealed IS 'The secret, encrypted; users.authenticator_since says whether it is in use';
CREATE TABLE recovery_codes (
  sha256   bytea PRIMARY KEY CHECK (length(sha256) = 32),
  user_id  text NOT NULL REFERENCES users
);
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

GRANT SELECT, INSERT, UPDATE ON users TO market_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, rate_limits, api_key_secrets TO market_app;
GRANT SELECT ON api_keys TO market_app;
GRANT INSERT (key_id, user_id, kind, name, scopes, hint, credit_cap_units, expires_at) ON api_keys TO market_app;
GRANT UPDATE (hint, expires_at, last_used_at, deleted_at) ON api_keys TO market_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON mails, mail_tokens, authenticators, recovery_codes TO market_app;

-- migrate:down

DROP TABLE recovery_codes;
DROP TABLE authenticators;
DROP TABLE mail_tokens;
DROP TABLE mails;
DROP TABLE api_key_secrets;
DROP TABLE api_keys;
DROP TABLE rate_limits;
DROP TABLE sessions;
DROP TABLE users;
