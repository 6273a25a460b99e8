-- Mandates (docs/mandates.md): spend budgets that accounts sign for agents.
--
-- A mandate gets its row when a call is first accepted under it, by its issuer and jti; a delegated mandate by a hash
-- of the chain above it and its jti. What is reserved and spent follows the rows of the calls, by trigger
-- (mandate_follow_call). Rows are locked root first, after the wallet and the call; the wallet belongs to all
-- mandates of one issuer.

-- migrate:up

-- Public keys of the accounts themselves; the keys of the service are signing_keys (0009).
CREATE TABLE mandate_keys (
  user_id     text NOT NULL REFERENCES users,
  kid         text NOT NULL CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'),
  public_jwk  jsonb NOT NULL,
  name        text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, kid)
);
COMMENT ON COLUMN mandate_keys.kid IS 'RFC 7638 thumbprint of the public key';

CREATE TABLE mandates (
  issuer_user_id  text NOT NULL,
  mandate_id      text NOT NULL,
  seq             bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  jti             text NOT NULL,
  root_jti        text NOT NULL,
  parent_id       text,
  depth           integer NOT NULL CHECK (depth BETWEEN 1 AND 5),
  content_sha256  text NOT NULL,
  kid             text NOT NULL,
  subject         text NOT NULL,
  max_units       bigint NOT NULL CHECK (max_units > 0),
  max_call_units  bigint,
  max_occurrences integer,
  payees          text[],
  not_before      timestamptz,
  expires_at      timestamptz NOT NULL,
  reserved_units  bigint NOT NULL DEFAULT 0,
  spent_units     bigint NOT NULL DEFAULT 0,
  occurrences     integer NOT NULL DEFAULT 0,
  first_used_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer_user_id, mandate_id),
  FOREIGN KEY (issuer_user_id, parent_id) REFERENCES mandates,
  CONSTRAINT mandates_root CHECK ((parent_id IS NULL) = (depth = 1)),
  CONSTRAINT mandates_budget CHECK (reserved_units >= 0 AND spent_units >= 0
    AND reserved_units + spent_units <= max_units),
  CONSTRAINT mandates_occurrences CHECK (occurrences >= 0 AND occurrences <= max_occurrences)
) WITH (fillfactor = 70);
COMMENT ON COLUMN mandates.mandate_id IS
  'The jti of a mandate of the account itself; for a delegated one a name made of the whole chain above it';
COMMENT ON COLUMN mandates.content_sha256 IS 'Of what was signed: one jti means one content, for ever';
COMMENT ON COLUMN mandates.kid IS 'The key that signed it';

-- A mandate may be revoked before it was ever used. An account may make up such revocations at will, so they are
-- bounded.
CREATE TABLE mandate_revocations (
  issuer_user_id  text NOT NULL,
  mandate_id      text NOT NULL,
  revoked_at      timestamptz NOT NULL DEFAULT now(),
  unused          boolean NOT NULL DEFAULT false,
  PRIMARY KEY (issuer_user_id, mandate_id)
);
CREATE INDEX mandate_revocations_unused ON mandate_revocations (issuer_user_id) WHERE unused;

CREATE TABLE mandate_proofs (
  issuer_user_id  text NOT NULL,
  mandate_id      text NOT NULL,
  proof_jti       text NOT NULL,
  invocation_id   text NOT NULL,
  PRIMARY KEY (issuer_user_id, mandate_id, proof_jti)
);
COMMENT ON TABLE mandate_proofs IS 'Used proofs and the call that each was used for; never deleted';

GRANT SELECT, INSERT, DELETE ON mandate_keys TO market_app;
GRANT SELECT ON mandates, mandate_proofs TO market_app;
GRANT SELECT, INSERT ON mandate_revocations TO market_app;

-- migrate:down

DROP TABLE mandate_proofs;
DROP TABLE mandate_revocations;
DROP TABLE mandates;
DROP TABLE mandate_keys;
