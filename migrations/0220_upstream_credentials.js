/**
 * What the service sends to self-hosted agents so that they know it (specification, "upstream_auth"). The value is
 * sealed by the service; the context is the agent and the header, so that neither can be exchanged. One a time for
 * each agent, since all of its versions are called with it.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE upstream_credentials (
    agent_id     text PRIMARY KEY REFERENCES agents,
    header       text NOT NULL CHECK (header ~ '^[!#$%&''*+.^_\`|~0-9a-z-]{1,128}$'),
    sealed       bytea NOT NULL,
    key_version  integer NOT NULL CHECK (key_version > 0),
    set_at       timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN upstream_credentials.sealed IS 'Envelope-encrypted header value; the context is agent and header';
  COMMENT ON COLUMN upstream_credentials.key_version IS 'Of the master key that wraps it';

  GRANT SELECT, INSERT, UPDATE, DELETE ON upstream_credentials TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE upstream_credentials;
`);
