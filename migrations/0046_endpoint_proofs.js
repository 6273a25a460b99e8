/**
 * Who controls the host of a registered endpoint (ADR 0208): the proofs that were found, and the one short run that an unproven
 * origin gets.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE endpoint_proofs (
    agent_id text NOT NULL,
    origin text NOT NULL CHECK (origin ~ '^https://[^/]+$'),
    method text NOT NULL CHECK (method IN ('file', 'dns', 'header')),
    proven_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, origin)
  );
  COMMENT ON TABLE endpoint_proofs IS 'Origins whose control the owner of the agent has proven';

  CREATE TABLE first_runs (
    run_id text PRIMARY KEY,
    agent_id text NOT NULL,
    origin text NOT NULL CHECK (origin ~ '^https://[^/]+$'),
    host text NOT NULL,
    developer_user_id text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent_id, origin)
  );
  COMMENT ON TABLE first_runs IS 'Verification runs that made a few calls of an origin without a proof of its control';
  CREATE INDEX first_runs_of_host ON first_runs (developer_user_id, host, began_at);

  GRANT SELECT, INSERT ON endpoint_proofs, first_runs TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE first_runs, endpoint_proofs');
