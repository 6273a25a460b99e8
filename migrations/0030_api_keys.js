/**
 * API keys (contract, "Accounts, sessions, keys"). The key itself is nowhere: a secret is a row with its SHA-256, which
 * each request looks up by primary key, so that a key dies for every process in the moment its row goes. A key keeps its
 * id, scopes, cap and spending when it is rotated: it then has another secret, and the old ones until they end.
 *
 * Deleted keys keep their row, since invocations name them; their secrets go.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE api_keys (
    key_id            text PRIMARY KEY CHECK (key_id ~ '^key_[0-9a-f]{32}$'),
    user_id           text NOT NULL REFERENCES users,
    name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    scopes            text[] NOT NULL CHECK (cardinality(scopes) > 0),
    hint              text NOT NULL CHECK (length(hint) = 4),
    credit_cap_units  bigint CHECK (credit_cap_units >= 0),
    spent_units       bigint NOT NULL DEFAULT 0 CHECK (spent_units >= 0),
    expires_at        timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    last_used_at      timestamptz,
    deleted_at        timestamptz,
    CHECK (spent_units <= credit_cap_units)
  ) WITH (fillfactor = 70);
  COMMENT ON COLUMN api_keys.hint IS 'The last four characters of the newest secret, for people to tell keys apart';
  COMMENT ON COLUMN api_keys.spent_units IS 'Charges of calls by this key that were not taken back; kept by 0310';
  CREATE INDEX api_keys_user ON api_keys (user_id, key_id DESC) WHERE deleted_at IS NULL;

  CREATE TABLE api_key_secrets (
    sha256    bytea PRIMARY KEY CHECK (length(sha256) = 32),
    key_id    text NOT NULL REFERENCES api_keys,
    ends_at   timestamptz
  );
  COMMENT ON COLUMN api_key_secrets.ends_at IS 'Set when the key was rotated: the end of the grace';
  CREATE INDEX api_key_secrets_key ON api_key_secrets (key_id);

  GRANT SELECT ON api_keys TO market_app;
  GRANT INSERT (key_id, user_id, name, scopes, hint, credit_cap_units, expires_at) ON api_keys TO market_app;
  GRANT UPDATE (hint, last_used_at, deleted_at) ON api_keys TO market_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON api_key_secrets TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE api_key_secrets; DROP TABLE api_keys;');
