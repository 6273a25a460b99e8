/**
 * Accounts of people: buyers, developers, operators; and their sessions (connect-pg-simple's table, made here
 * because the app role creates nothing).
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE users (
    user_id               text PRIMARY KEY CHECK (user_id ~ '^usr_[0-9a-f]{32}$'),
    email                 text NOT NULL CHECK (length(email) <= 254),
    password_hash         text NOT NULL,
    display_name          text NOT NULL CHECK (length(display_name) BETWEEN 1 AND 80),
    role                  text NOT NULL CHECK (role IN ('buyer', 'developer', 'operator')),
    developer_id          text UNIQUE CHECK (developer_id ~ '^dev_[a-z0-9]+(-[a-z0-9]+)*$'),
    registration_paid_at  timestamptz,
    created_at            timestamptz NOT NULL DEFAULT now(),
    CHECK (role <> 'developer' OR developer_id IS NOT NULL)
  );
  CREATE UNIQUE INDEX users_email_unique ON users (lower(email));

  CREATE TABLE sessions (
    sid     text PRIMARY KEY,
    sess    json NOT NULL,
    expire  timestamptz NOT NULL
  );
  CREATE INDEX sessions_expire ON sessions (expire);
  CREATE INDEX sessions_user ON sessions ((sess -> 'passport' ->> 'user'));

  GRANT SELECT, INSERT, UPDATE ON users TO market_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE sessions; DROP TABLE users;');
