/**
 * Counters of requests and failed log-ins, shared by all API processes (contract, "General"). Unlogged: they are
 * written often, and losing them in a crash of Postgres only forgives somebody a minute.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE UNLOGGED TABLE rate_limits (
    key             text PRIMARY KEY CHECK (length(key) <= 400),
    points          integer NOT NULL CHECK (points >= 0),
    window_ends_at  timestamptz NOT NULL
  );
  GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limits TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE rate_limits;');
