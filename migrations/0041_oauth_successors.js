/**
 * What the successor of a used refresh token is computed from, so that the same token again within the grace gets the
 * same successor (`src/services/oauth/oauth-tokens.ts`, ADR 0194).
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE oauth_secrets ADD COLUMN successor_key bytea CHECK (length(successor_key) = 32);
  COMMENT ON COLUMN oauth_secrets.successor_key IS
    'Of a used refresh token: key of the HMAC of that token which is its successor';
  GRANT UPDATE (successor_key) ON oauth_secrets TO market_app;
`);

exports.down = (knex) => knex.raw('ALTER TABLE oauth_secrets DROP COLUMN successor_key');
