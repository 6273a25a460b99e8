/**
 * How many bytes the service keeps for an account: stored answers, inputs and messages of tasks, bodies of deliveries. The bytes of
 * free calls and of paid ones are counted apart, by the hour in which they expire (ADR 0203).
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE stored_bytes (
    user_id     text NOT NULL,
    until       timestamptz NOT NULL,
    free_bytes  bigint NOT NULL DEFAULT 0,
    paid_bytes  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, until)
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN stored_bytes.until IS 'The end of the hour in which they expire';
  CREATE INDEX stored_bytes_until ON stored_bytes (until);
`);

exports.down = (knex) => knex.raw('DROP TABLE stored_bytes');
