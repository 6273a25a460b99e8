/**
 * An email address belongs to one account, confirmed or not (ADR 0193). Where several accounts signed up with one, the account
 * that confirmed it keeps it, else the oldest. The others keep everything but the address: theirs becomes
 * `<user id>@duplicate.invalid`, so they can be found, and their sessions and keys go on, but a password no longer logs in.
 */
exports.up = (knex) =>
  knex.raw(`
  WITH ranked AS (
    SELECT user_id, row_number() OVER (
      PARTITION BY lower(email) ORDER BY email_confirmed_at IS NULL, created_at, user_id) AS place
      FROM users)
  UPDATE users u SET email = u.user_id || '@duplicate.invalid'
    FROM ranked r WHERE r.user_id = u.user_id AND r.place > 1;
  DELETE FROM mail_tokens t USING users u WHERE u.user_id = t.user_id AND u.email LIKE '%@duplicate.invalid';
  DROP INDEX users_confirmed_email;
  DROP INDEX users_unconfirmed_email;
  CREATE UNIQUE INDEX users_email ON users (lower(email));
`);

exports.down = (knex) =>
  knex.raw(`
  DROP INDEX users_email;
  CREATE UNIQUE INDEX users_confirmed_email ON users (lower(email)) WHERE email_confirmed_at IS NOT NULL;
  CREATE INDEX users_unconfirmed_email ON users (lower(email), user_id DESC) WHERE email_confirmed_at IS NULL;
`);
