/**
 * Accounts of people, continued: confirmed email addresses, mails, tokens of mails, authenticator apps, and the bound
 * on revocations of mandates that were never used.
 */
exports.up = (knex) =>
  knex.raw(`
  -- An address belongs to the account that has confirmed it. Until then several accounts may have signed up with it, so
  -- that a sign-up does not reveal whether an address is known (ADR 0078).
  ALTER TABLE users ADD COLUMN email_confirmed_at timestamptz;
  UPDATE users SET email_confirmed_at = created_at;
  DROP INDEX users_email_unique;
  CREATE UNIQUE INDEX users_confirmed_email ON users (lower(email)) WHERE email_confirmed_at IS NOT NULL;
  CREATE INDEX users_unconfirmed ON users (user_id) WHERE email_confirmed_at IS NULL;
  CREATE INDEX users_unconfirmed_email ON users (lower(email), user_id DESC) WHERE email_confirmed_at IS NULL;

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
  ALTER TABLE users ADD COLUMN authenticator_since timestamptz;
  CREATE TABLE recovery_codes (
    sha256   bytea PRIMARY KEY CHECK (length(sha256) = 32),
    user_id  text NOT NULL REFERENCES users
  );
  CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

  -- Revocations of mandates that no call was accepted under, which an account may make up at will.
  ALTER TABLE mandate_revocations ADD COLUMN unused boolean NOT NULL DEFAULT false;
  CREATE INDEX mandate_revocations_unused ON mandate_revocations (issuer_user_id) WHERE unused;

  GRANT SELECT, INSERT, UPDATE, DELETE ON mails, mail_tokens, authenticators, recovery_codes TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP INDEX mandate_revocations_unused;
  ALTER TABLE mandate_revocations DROP COLUMN unused;
  DROP TABLE recovery_codes;
  ALTER TABLE users DROP COLUMN authenticator_since;
  DROP TABLE authenticators;
  DROP TABLE mail_tokens;
  DROP TABLE mails;
  DROP INDEX users_unconfirmed_email;
  DROP INDEX users_unconfirmed;
  DROP INDEX users_confirmed_email;
  ALTER TABLE users DROP COLUMN email_confirmed_at;
  CREATE UNIQUE INDEX users_email_unique ON users (lower(email));
`);
