-- Programs of an account that get tokens by a secret of their own (RFC 6749, section 4.4; ADR 0336). Each has a grant, whose
-- key carries its scopes, limits, spending and end.

-- migrate:up

CREATE TABLE oauth_programs (
  grant_id      text PRIMARY KEY REFERENCES oauth_grants,
  secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
  old_sha256    bytea CHECK (length(old_sha256) = 32),
  old_ends_at   timestamptz,
  CHECK ((old_sha256 IS NULL) = (old_ends_at IS NULL))
);
COMMENT ON TABLE oauth_programs IS 'Programs of an account that get access tokens by a secret of their own. The grant has their id, scopes and limits.';
COMMENT ON COLUMN oauth_programs.old_sha256 IS 'The secret before the last rotation, which is valid until old_ends_at';
GRANT SELECT, INSERT, UPDATE (secret_sha256, old_sha256, old_ends_at) ON oauth_programs TO market_app;

-- migrate:down

UPDATE api_keys SET deleted_at = coalesce(deleted_at, now()) WHERE key_id IN
  (SELECT g.key_id FROM oauth_grants g JOIN oauth_programs p USING (grant_id));
DROP TABLE oauth_programs;
