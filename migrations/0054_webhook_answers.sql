-- What the owner of a webhook sees of its deliveries: the beginning of each answer, and when the next attempt comes.

-- migrate:up

ALTER TABLE webhook_attempts ADD COLUMN answer text CHECK (length(answer) <= 500);
COMMENT ON COLUMN webhook_attempts.answer IS
  'The beginning of the answer as one line of text, without secrets; null if there was none';
ALTER TABLE webhook_deliveries ADD COLUMN next_attempt_at timestamptz;
COMMENT ON COLUMN webhook_deliveries.next_attempt_at IS 'Null before the first attempt of a round, and after the last';

-- migrate:down

ALTER TABLE webhook_deliveries DROP COLUMN next_attempt_at;
ALTER TABLE webhook_attempts DROP COLUMN answer;
