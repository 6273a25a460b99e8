-- Keys that sign requests to agents as HTTP Message Signatures (ADR 0352). They have a table of their own, so that a
-- release without them, which reads the one active row of signing_keys, still finds the key of receipts there.

-- migrate:up

CREATE TABLE request_keys (
  kid             text PRIMARY KEY CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'),
  public_x        text NOT NULL CHECK (public_x ~ '^[A-Za-z0-9_-]{43}$'),
  sealed_private  bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  retired_at      timestamptz CHECK (retired_at >= created_at)
);
COMMENT ON TABLE request_keys IS 'Ed25519 keys that sign requests to agents; retired ones stay in the directory for a day';
COMMENT ON COLUMN request_keys.kid IS 'RFC 7638 thumbprint of the public key';
COMMENT ON COLUMN request_keys.public_x IS 'The public key, as x of its JWK';
COMMENT ON COLUMN request_keys.sealed_private IS 'Envelope-encrypted seed; the context is the kid';
CREATE UNIQUE INDEX request_keys_one_signs ON request_keys ((true)) WHERE retired_at IS NULL;

-- sealed_private: the rotation of master keys encrypts it again.
GRANT SELECT, INSERT, UPDATE (retired_at, sealed_private) ON request_keys TO market_app;

-- migrate:down

DROP TABLE IF EXISTS request_keys;
