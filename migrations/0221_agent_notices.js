/** What an agent's owner should know and nobody else may: one row for each version and kind, when it was first seen. */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE agent_notices (
    notice_id      text PRIMARY KEY CHECK (notice_id ~ '^ntc_[0-9a-f]{32}$'),
    agent_id       text NOT NULL REFERENCES agents,
    version_id     text NOT NULL REFERENCES agent_versions,
    kind           text NOT NULL,
    first_seen_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (version_id, kind)
  );
  CREATE INDEX agent_notices_agent ON agent_notices (agent_id, notice_id);

  GRANT SELECT, INSERT ON agent_notices TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE agent_notices;');
