-- Notices are mailed, and what has a deadline is mailed once more before it (ADR 0289).

-- migrate:up

CREATE TABLE notice_mails (
  mail_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id      text NOT NULL,
  notice_id    text NOT NULL,
  is_reminder  boolean NOT NULL,
  made_at      timestamptz NOT NULL DEFAULT now(),
  due_at       timestamptz,
  attempts     integer NOT NULL DEFAULT 0,
  ended_at     timestamptz
);
COMMENT ON COLUMN notice_mails.is_reminder IS 'Sent a day before the deadline, if the account has not answered by then';
COMMENT ON COLUMN notice_mails.due_at IS 'When the next attempt is due; null if the mail was sent, given up or not wanted';
CREATE INDEX notice_mails_due ON notice_mails (due_at, user_id) WHERE due_at IS NOT NULL;
CREATE INDEX notice_mails_recent ON notice_mails (user_id, made_at) WHERE NOT is_reminder;
CREATE INDEX notice_mails_waiting ON notice_mails (user_id, due_at) WHERE due_at IS NOT NULL AND attempts = 0 AND NOT is_reminder;
CREATE INDEX notice_mails_ended ON notice_mails (ended_at) WHERE due_at IS NULL;
GRANT SELECT, UPDATE, DELETE ON notice_mails TO market_app;

CREATE TABLE mail_settings (
  user_id  text PRIMARY KEY,
  off      text[] NOT NULL CHECK (cardinality(off) <= 10)
);
COMMENT ON TABLE mail_settings IS 'The subjects of notices that an account wants no mails about';
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_settings TO market_app;

-- migrate:down

DROP TABLE IF EXISTS mail_settings;
DROP TABLE IF EXISTS notice_mails;
