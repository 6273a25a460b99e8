/**
 * Lets SQL functions run at a time in the past. One transaction replaces the clock functions of Postgres, and puts them
 * back before it commits, so no other session ever sees them. Functions, defaults and triggers then write what they
 * would have written at that time. Only the superuser of a local stack can do this (ADR 0280).
 */
import type { Client } from 'pg';
import type { DbPool } from '../../../stores/db';

/** What runs in the past. */
export interface Past {
  client: Client;
  /** Statements of services run in the same transaction. */
  pool: DbPool;
  /** Sets the clock. */
  at(ms: number): Promise<void>;
}

const NOW = `current_setting('demonstration.now')::timestamptz`;
/** The last 19 digits of an id: the variant and random bits. */
const RANDOM_DIGITS = `substr(replace(gen_random_uuid()::text, '-', ''), 14)`;

const BORROWED = [
  `CREATE OR REPLACE FUNCTION pg_catalog.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
     AS $$ SELECT ${NOW} $$`,
  `CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
     AS $$ SELECT ${NOW} $$`,
  `CREATE OR REPLACE FUNCTION pg_catalog.uuidv7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
     AS $$ SELECT (lpad(to_hex((extract(epoch FROM ${NOW}) * 1000)::bigint), 12, '0') || '7' || ${RANDOM_DIGITS})::uuid $$`,
];
const RETURNED = [
  `CREATE OR REPLACE FUNCTION pg_catalog.now() RETURNS timestamptz LANGUAGE internal STABLE STRICT PARALLEL SAFE
     AS 'now'`,
  `CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE internal VOLATILE STRICT
     PARALLEL SAFE AS 'clock_timestamp'`,
  `CREATE OR REPLACE FUNCTION pg_catalog.uuidv7() RETURNS uuid LANGUAGE internal VOLATILE STRICT PARALLEL SAFE
     AS 'uuidv7'`,
];

/** Runs `work` in one transaction with a clock of its own, which begins at `startMs`. */
export async function inThePast(
  client: Client,
  startMs: number,
  work: (past: Past) => Promise<void>,
): Promise<void> {
  await client.query('BEGIN');
  try {
    const past = pastOf(client);
    await past.at(startMs);
    await client.query(`SET LOCAL TimeZone = 'UTC'`);
    for (const statement of BORROWED) await client.query(statement);
    await work(past);
    for (const statement of RETURNED) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

function pastOf(client: Client): Past {
  const query = client.query.bind(client) as DbPool['query'];
  const refused = () => Promise.reject(new Error('the transaction of the past has one connection'));
  return {
    client,
    pool: { query, connect: refused, end: refused },
    async at(ms) {
      const text = new Date(ms).toISOString();
      await client.query(`SELECT set_config('demonstration.now', $1, true)`, [text]);
    },
  };
}
