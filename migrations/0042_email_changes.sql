-- A change of an account's email address, which the new address confirms (ADR 0242). Each token belongs to the address
-- that it was sent to, so that a change makes the tokens of the address before useless.

-- migrate:up

ALTER TABLE users ADD COLUMN pending_email text;
ALTER TABLE users ADD CONSTRAINT users_pending_email_check CHECK (length(pending_email) <= 254);
COMMENT ON COLUMN users.pending_email IS 'The address that takes the place of email when it is confirmed; null while none is asked for';
ALTER TABLE mail_tokens ADD COLUMN email text;
ALTER TABLE mail_tokens ADD CONSTRAINT mail_tokens_email_check CHECK (length(email) <= 254);
COMMENT ON COLUMN mail_tokens.email IS 'The address that the token was sent to; null for a token that no mail has';
ALTER TABLE mail_tokens
  DROP CONSTRAINT mail_tokens_purpose_check,
  ADD CONSTRAINT mail_tokens_purpose_check CHECK (purpose IN ('confirm_email', 'change_email', 'reset_password', 'log_in'));

-- migrate:down

DELETE FROM mail_tokens WHERE purpose = 'change_email';
DELETE FROM mails WHERE kind IN ('change_email', 'email_change_requested', 'email_changed', 'agent_secret_changed');
DELETE FROM security_mails WHERE kind IN ('email_change_requested', 'email_changed', 'agent_secret_changed');
ALTER TABLE mail_tokens
  DROP CONSTRAINT mail_tokens_purpose_check,
  ADD CONSTRAINT mail_tokens_purpose_check CHECK (purpose IN ('confirm_email', 'reset_password', 'log_in'));
ALTER TABLE mail_tokens DROP COLUMN email;
ALTER TABLE users DROP COLUMN pending_email;
