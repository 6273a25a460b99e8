-- Inputs and outputs of calls that an account keeps for a number of days, encrypted (ADR 0275).

-- migrate:up

ALTER TABLE users ADD COLUMN keep_days smallint NOT NULL DEFAULT 0 CHECK (keep_days BETWEEN 0 AND 90);
ALTER TABLE users ADD COLUMN erase_kept_before timestamptz;
COMMENT ON COLUMN users.keep_days IS 'Days for which inputs and outputs of the calls that the account pays are kept; 0: not at all';
COMMENT ON COLUMN users.erase_kept_before IS
  'What was kept before this time is erased and cannot be read; null once all of it is deleted';
CREATE INDEX users_erasing ON users (user_id) WHERE erase_kept_before IS NOT NULL;

CREATE TABLE kept_bodies (
  invocation_id  text PRIMARY KEY,
  buyer_user_id  text NOT NULL,
  input          bytea,
  output         bytea,
  too_large      text[] NOT NULL DEFAULT '{}',
  kept_at        timestamptz NOT NULL DEFAULT now(),
  expires_at     timestamptz NOT NULL
);
COMMENT ON TABLE kept_bodies IS 'Written by kept_body_add; deleted by kept_bodies_erase and kept_bodies_purge';
COMMENT ON COLUMN kept_bodies.input IS 'Envelope-encrypted; the context is the invocation id';
COMMENT ON COLUMN kept_bodies.output IS 'Envelope-encrypted; null also while the call runs, and when it failed';
COMMENT ON COLUMN kept_bodies.too_large IS 'The parts, input or output, that were too large to be kept';
-- Encrypted bytes do not compress.
ALTER TABLE kept_bodies ALTER COLUMN input SET STORAGE EXTERNAL, ALTER COLUMN output SET STORAGE EXTERNAL;
CREATE INDEX kept_bodies_buyer ON kept_bodies (buyer_user_id, invocation_id);
CREATE INDEX kept_bodies_expiry ON kept_bodies (expires_at);

-- input, output: the rotation of master keys encrypts them again.
GRANT SELECT, UPDATE (input, output) ON kept_bodies TO market_app;

-- migrate:down

DROP TABLE kept_bodies;
DROP INDEX users_erasing;
ALTER TABLE users DROP COLUMN erase_kept_before, DROP COLUMN keep_days;
