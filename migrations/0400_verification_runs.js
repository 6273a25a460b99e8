/**
 * Runs of the verification pipeline, and the figures that listings show. A run stores its evidence (facts, never the
 * endpoint, a secret or a body); order is by `sequence`, not by time, because workflows may skip time.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE verification_runs (
    run_id       text PRIMARY KEY CHECK (run_id ~ '^ver_[0-9a-f]{32}$'),
    sequence     bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    agent_id     text NOT NULL REFERENCES agents,
    version_id   text NOT NULL REFERENCES agent_versions,
    reason       text NOT NULL,
    state        text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'passed', 'failed')),
    evidence     text,
    summary      text,
    started_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    CHECK ((state = 'running') = (finished_at IS NULL))
  );
  CREATE INDEX verification_runs_agent ON verification_runs (agent_id, sequence DESC);

  CREATE TABLE agent_stats (
    agent_id         text PRIMARY KEY REFERENCES agents,
    invocations_30d  integer NOT NULL,
    success_rate     numeric(5, 4),
    p50_ms           integer,
    refreshed_at     timestamptz NOT NULL
  );
  CREATE INDEX agent_stats_refreshed ON agent_stats (refreshed_at);

  GRANT SELECT, INSERT, UPDATE ON verification_runs, agent_stats TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE agent_stats; DROP TABLE verification_runs;');
