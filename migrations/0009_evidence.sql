-- Signed receipts of calls, and the keys that sign them. A receipt is made when it is first read, from rows that
-- never change, and is kept as it was signed. The service encrypts private keys; retired keys stay, because their
-- public halves verify what they signed.

-- migrate:up

CREATE TABLE signing_keys (
  kid             text PRIMARY KEY CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'),
  public_jwk      jsonb NOT NULL,
  sealed_private  bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  retired_at      timestamptz CHECK (retired_at >= created_at)
);
COMMENT ON COLUMN signing_keys.kid IS 'RFC 7638 thumbprint of the public key';
COMMENT ON COLUMN signing_keys.sealed_private IS 'Envelope-encrypted PKCS #8; the context is the kid';
CREATE UNIQUE INDEX signing_keys_one_signs ON signing_keys ((true)) WHERE retired_at IS NULL;

CREATE TABLE invocation_evidence (
  invocation_id  text PRIMARY KEY,
  kid            text NOT NULL REFERENCES signing_keys,
  signature      text NOT NULL,
  signed_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN invocation_evidence.signature IS 'Compact JWS; its payload is all that the evidence says';

-- sealed_private: the rotation of master keys encrypts it again.
GRANT SELECT, INSERT, UPDATE (retired_at, sealed_private) ON signing_keys TO market_app;
GRANT SELECT, INSERT ON invocation_evidence TO market_app;

-- migrate:down

DROP TABLE invocation_evidence;
DROP TABLE signing_keys;
