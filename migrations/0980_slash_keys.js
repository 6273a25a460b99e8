/**
 * The names that operators give to their orders of slashes, so that a repetition takes nothing again. A key is written
 * in the transaction of its slash: one without the other does not exist.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE slash_keys (
    operator_user_id  text NOT NULL,
    idempotency_key   text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    request_sha256    text NOT NULL CHECK (request_sha256 ~ '^[0-9a-f]{64}$'),
    slash_id          text NOT NULL UNIQUE REFERENCES slashes DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (operator_user_id, idempotency_key)
  );
  GRANT SELECT, INSERT ON slash_keys TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE slash_keys;');
