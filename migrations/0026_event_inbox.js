/**
 * Events for the event streams of accounts (`GET /v1/events/stream`, ADR 0120). `event_record` writes a row for each
 * account of the audience that follows its events: one that has an open stream, or had one within the last day. Other
 * accounts cost nothing.
 *
 * `event_order` gives each committed row its position, in one transaction at a time. So positions become visible in
 * their order, and a reader that continues behind a position misses nothing. A position is a time in microseconds since
 * 1970, and rows are deleted by it.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE event_followers (
    user_id  text PRIMARY KEY,
    since    bigint NOT NULL,
    until    timestamptz NOT NULL
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN event_followers.since IS 'A position: no later event of the account is missing';
  CREATE INDEX event_followers_until ON event_followers (until);

  CREATE TABLE event_inbox (
    user_id   text NOT NULL,
    event_id  text NOT NULL CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
    position  bigint CHECK (position > 0),
    PRIMARY KEY (user_id, event_id)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
  COMMENT ON COLUMN event_inbox.position IS 'Null until event_order has found the row';
  CREATE INDEX event_inbox_new ON event_inbox (event_id) WHERE position IS NULL;
  CREATE UNIQUE INDEX event_inbox_positions ON event_inbox (position) WHERE position IS NOT NULL;
  CREATE INDEX event_inbox_account ON event_inbox (user_id, position) WHERE position IS NOT NULL;

  GRANT SELECT ON event_followers, event_inbox TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE event_inbox;
  DROP TABLE event_followers;
`);
