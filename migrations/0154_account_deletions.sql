-- Deletions of accounts (ADR 0388). What the law requires to keep of a deleted account is a sealed record of its own
-- (ADR 0389).

-- migrate:up

CREATE TABLE account_deletions (
  deletion_id          text PRIMARY KEY CHECK (deletion_id ~ '^del_[0-9a-f]{32}$'),
  user_id              text NOT NULL REFERENCES users,
  state                text NOT NULL DEFAULT 'requested' CHECK (state IN
                         ('requested', 'confirmable', 'confirmed', 'erasing', 'erased', 'withdrawn', 'lapsed')),
  forfeits             boolean NOT NULL,
  requested_at         timestamptz NOT NULL DEFAULT now(),
  confirm_from         timestamptz NOT NULL,
  confirmed_at         timestamptz,
  blocked_by           text[] NOT NULL DEFAULT '{}',
  ended_at             timestamptz,
  gone_by              timestamptz,
  workflow_started_at  timestamptz,
  CONSTRAINT account_deletions_end CHECK ((state IN ('erased', 'withdrawn', 'lapsed')) = (ended_at IS NOT NULL)),
  CONSTRAINT account_deletions_gone CHECK ((state = 'erased') = (gone_by IS NOT NULL))
);
COMMENT ON TABLE account_deletions IS 'Deletions that accounts requested. At most one of an account is open';
COMMENT ON COLUMN account_deletions.state IS 'confirmable: its mail asks for the confirmation; confirmed: it waits until nothing blocks it; lapsed: it was not confirmed';
COMMENT ON COLUMN account_deletions.forfeits IS 'The account gives up the credits that are left in its wallet';
COMMENT ON COLUMN account_deletions.blocked_by IS 'What blocked it at the last look (account_delete_blocks)';
COMMENT ON COLUMN account_deletions.gone_by IS 'When backups from before the deletion have ended';
COMMENT ON COLUMN account_deletions.workflow_started_at IS 'When the engine last confirmed its workflow';
CREATE UNIQUE INDEX account_deletions_open ON account_deletions (user_id)
  WHERE state NOT IN ('erased', 'withdrawn', 'lapsed');
CREATE INDEX account_deletions_user ON account_deletions (user_id, deletion_id DESC);
CREATE INDEX account_deletions_unended ON account_deletions (coalesce(workflow_started_at, '-infinity'))
  WHERE state NOT IN ('erased', 'withdrawn', 'lapsed');
CREATE INDEX account_deletions_state ON account_deletions (state, deletion_id DESC);
GRANT SELECT, INSERT, UPDATE ON account_deletions TO market_app;

CREATE TABLE retained_records (
  user_id   text PRIMARY KEY REFERENCES users,
  sealed    bytea NOT NULL,
  ends_at   timestamptz NOT NULL,
  kept_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE retained_records IS 'Whom the invoices and payouts of a deleted account named, for tax authorities';
COMMENT ON COLUMN retained_records.sealed IS 'Envelope-encrypted JSON of names, addresses and tax forms; the context is the account';
COMMENT ON COLUMN retained_records.ends_at IS 'When the law no longer requires the record; it is then deleted';
CREATE INDEX retained_records_end ON retained_records (ends_at);
GRANT SELECT, INSERT, DELETE ON retained_records TO market_app;

ALTER TABLE users ADD COLUMN erased_at timestamptz;
COMMENT ON COLUMN users.erased_at IS 'When the account was deleted: its address and names are replaced since then';
ALTER TABLE payout_methods ALTER COLUMN sealed DROP NOT NULL;
ALTER TABLE mail_tokens
  DROP CONSTRAINT mail_tokens_purpose_check,
  ADD CONSTRAINT mail_tokens_purpose_check
    CHECK (purpose IN ('confirm_email', 'change_email', 'reset_password', 'log_in', 'delete_account'));
CREATE INDEX organisation_actions_person ON organisation_actions (person) WHERE person IS NOT NULL;

-- migrate:down

DROP INDEX organisation_actions_person;
DELETE FROM mail_tokens WHERE purpose = 'delete_account';
ALTER TABLE mail_tokens
  DROP CONSTRAINT mail_tokens_purpose_check,
  ADD CONSTRAINT mail_tokens_purpose_check
    CHECK (purpose IN ('confirm_email', 'change_email', 'reset_password', 'log_in'));
ALTER TABLE users DROP COLUMN erased_at;
DROP TABLE retained_records;
DROP TABLE account_deletions;
DROP FUNCTION IF EXISTS account_erase(text, text, text, integer);
DROP FUNCTION IF EXISTS account_delete_blocks(text, boolean);
