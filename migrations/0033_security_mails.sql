-- Mails about changes of an account that a thief could make: each change is a mail of its own (ADR 0233).

-- migrate:up

CREATE TABLE security_mails (
  mail_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  recipient     text NOT NULL CHECK (length(recipient) <= 254),
  kind          text NOT NULL CHECK (length(kind) <= 40),
  subject       text NOT NULL CHECK (length(subject) <= 200),
  requested_at  timestamptz NOT NULL DEFAULT now(),
  due_at        timestamptz DEFAULT now(),
  attempts      integer NOT NULL DEFAULT 0,
  sent_at       timestamptz
);
COMMENT ON TABLE security_mails IS 'One row for each mail that reports a change of an account; the outbox mails has what is merged';
COMMENT ON COLUMN security_mails.recipient IS 'User id';
COMMENT ON COLUMN security_mails.subject IS 'What the mail is about, such as the id of a key';
COMMENT ON COLUMN security_mails.due_at IS 'When the next attempt is due; null if the mail was sent or given up';
CREATE INDEX security_mails_recent ON security_mails (recipient, kind, requested_at);
CREATE INDEX security_mails_due ON security_mails (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX security_mails_sent ON security_mails (sent_at) WHERE due_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON security_mails TO market_app;

-- migrate:down

DROP TABLE security_mails;
