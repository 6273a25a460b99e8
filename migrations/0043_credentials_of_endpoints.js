/**
 * An upstream credential stays with the endpoint that it was given for (ADR 0200): a version that moves to another host brings
 * its own, and the version that still serves keeps the one before.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE upstream_credentials ADD COLUMN origin text;
  UPDATE upstream_credentials c SET origin =
    (SELECT substring(v.endpoint_url FROM '^https://[^/]+') FROM agent_versions v WHERE v.agent_id = c.agent_id
      ORDER BY v.major DESC, v.minor DESC, v.patch DESC LIMIT 1);
  ALTER TABLE upstream_credentials DROP CONSTRAINT upstream_credentials_pkey,
    ALTER COLUMN origin SET NOT NULL, ADD CHECK (origin ~ '^https://[^/]+$'),
    ADD COLUMN credential_id text GENERATED ALWAYS AS (agent_id || ' ' || origin) STORED,
    ADD PRIMARY KEY (credential_id), ADD UNIQUE (agent_id, origin);
  -- The version that serves may be at another host than the newest, which is being verified; both were called with it.
  INSERT INTO upstream_credentials (agent_id, origin, header, sealed, key_version, set_at)
    SELECT c.agent_id, substring(v.endpoint_url FROM '^https://[^/]+'), c.header, c.sealed, c.key_version, c.set_at
      FROM upstream_credentials c JOIN agents a USING (agent_id)
      JOIN agent_versions v ON v.version_id = a.serving_version_id
    ON CONFLICT DO NOTHING;
  COMMENT ON COLUMN upstream_credentials.origin IS 'Of the endpoint that the credential was given for, and is sent to';
`);

exports.down = (knex) =>
  knex.raw(`
  DELETE FROM upstream_credentials c USING upstream_credentials o WHERE o.agent_id = c.agent_id AND (o.set_at, o.origin) > (c.set_at, c.origin);
  ALTER TABLE upstream_credentials DROP COLUMN credential_id, DROP COLUMN origin, ADD PRIMARY KEY (agent_id);
`);
