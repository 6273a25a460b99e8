/**
 * Fills a database with finished calls, as the service would have left them: every amount, balance and chain of
 * versions adds up, and the ledger check holds. Calls are spread evenly over the days before today; a smaller database
 * has fewer days, so that one day is alike in both.
 *
 * The rows of calls arrive by COPY without triggers and without indexes, in two connections, one month after the other.
 * Then the indexes are made again, and the schema is compared with what it was.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  type CallTable,
  CALL_TABLES,
  type Fill,
  DAY_MS,
  FEE,
  linesOf,
  LOADED,
  OUTBOX_TABLES,
  PRICE,
  type Size,
} from './call-lines';
import { dropIndexes, expectSameCatalogue, readCatalogue } from './catalogue';
import { OWNER_ROLE } from '../../src/runtime/postgres/database';
import { run } from './place';

/** Ids of the bench: deterministic, and sorted by time like those of the service. */
const FUNCTIONS = `
  CREATE FUNCTION bench_id(prefix text, ms bigint, n bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN prefix || '_' || lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n), 19, '0');
  CREATE FUNCTION bench_user(prefix text, n bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN bench_id(prefix, 1, n);`;

/** Settings of each connection that fills. */
const LOADING = `SET session_replication_role = replica; SET synchronous_commit = off; SET jit = off;
  SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 1; SET work_mem = '256MB'`;

/** Fills a database by its superuser. */
export async function fill(
  url: string,
  size: Size,
  cipherRows: (client: Client) => Promise<void>,
): Promise<void> {
  const startMs = Date.UTC(...today()) - (size.days - 1) * DAY_MS;
  // Functions with the rights of the owner name partitions, so the owner makes them.
  const asOwner = [`SET ROLE ${OWNER_ROLE}`, ...monthsOf(startMs), 'RESET ROLE'];
  await run(url, [FUNCTIONS, ...peopleOf(size), ...asOwner]);
  const [client, other] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await Promise.all([client.connect(), other.connect()]);
  await cipherRows(client);
  const before = await readCatalogue(client);
  await Promise.all([client.query(LOADING), other.query(LOADING)]);
  const at = performance.now();
  const say = (what: string) => console.log(`  ${what}, ${((performance.now() - at) / 1_000).toFixed(1)} s`);
  const firstAccount = await numberOf(
    client,
    `SELECT account_id FROM accounts WHERE kind = 'wallet' AND user_id = bench_user('usr', 0)`,
  );
  const filling = { size, startMs, firstAccount, lastEntry: 4 * size.buyers, say };
  const waiting = [...CALL_TABLES];
  const load = async (lane: Client) => {
    for (let table = waiting.shift(); table; table = waiting.shift()) await loadTable(lane, table, filling);
  };
  await Promise.all([load(client), load(other)]);
  await inOrder(client, loadsOf(size, startMs, firstAccount));
  await client.query(`SELECT setval('entries_entry_id_seq', $1)`, [filling.lastEntry + 7 * size.calls]);
  await Promise.all([
    inOrder(client, [...totalsOf(size), 'SELECT earning_days_recount()']).then(() => say('balances')),
    loadOutbox(other, filling)
      .then(() => inOrder(other, USAGE))
      .then(() => say('usage')),
  ]);
  expectSameCatalogue(before, await readCatalogue(client));
  await Promise.all([client.end(), other.end()]);
  await run(url, ['VACUUM (ANALYZE)', 'CHECKPOINT', 'CREATE TABLE bench_filled ()']);
  say('vacuum');
}

/** True when an earlier run has filled the database. */
export async function isFilled(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const found = await numberOf(client, `SELECT (to_regclass('bench_filled') IS NOT NULL)::int`);
  await client.end();
  return found === 1;
}

async function inOrder(client: Client, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await client.query(sql);
}

async function numberOf(client: Client, sql: string): Promise<number> {
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  return Number(rows[0]?.[0]);
}

/** Loads the rows of calls into an empty table. */
async function loadTable(
  client: Client,
  table: CallTable,
  filling: Fill & { say(what: string): void },
): Promise<void> {
  const { make } = await dropIndexes(client, table.name);
  for (const { name, from, until } of await placesOf(client, table)) {
    // A table that was emptied in the same transaction takes rows frozen and without WAL.
    await inOrder(client, ['BEGIN', `TRUNCATE ${name}`]);
    const copy = client.query(copyFrom(`COPY ${name} (${table.columns}) FROM STDIN (FREEZE)`));
    await pipeline(Readable.from(linesOf(table, filling, from, until), { objectMode: true }), copy);
    await client.query('COMMIT');
  }
  filling.say(`rows of ${table.name}`);
  await inOrder(client, make);
  filling.say(`indexes of ${table.name}`);
}

/** Events and deliveries are few, and keep their indexes. */
async function loadOutbox(client: Client, filling: Fill): Promise<void> {
  for (const table of OUTBOX_TABLES) {
    const copy = client.query(copyFrom(`COPY ${table.name} (${table.columns}) FROM STDIN`));
    await pipeline(
      Readable.from(linesOf(table, filling, 0, Number.MAX_SAFE_INTEGER), { objectMode: true }),
      copy,
    );
  }
}

/** The partitions of a table with the times of their ids in ms; a table without months is one place. */
async function placesOf(
  client: Client,
  { name, isPartitioned }: CallTable,
): Promise<{ name: string; from: number; until: number }[]> {
  if (!isPartitioned) return [{ name, from: 0, until: Number.MAX_SAFE_INTEGER }];
  const { rows } = await client.query<{ name: string; month: string }>(
    `SELECT inhrelid::regclass::text AS name, replace(right(inhrelid::regclass::text, 7), '_', '-') AS month
     FROM pg_inherits WHERE inhparent = $1::regclass AND inhrelid::regclass::text ~ '[0-9]$' ORDER BY 1`,
    [name],
  );
  return rows.map(({ name: place, month }) => {
    const [year = 0, nth = 0] = month.split('-').map(Number);
    return { name: place, from: Date.UTC(year, nth - 1), until: Date.UTC(year, nth) };
  });
}

/**
 * The UTC date of today as arguments of Date.UTC; calls end with the last moment of yesterday's tomorrow minus a day.
 */
function today(): [number, number, number] {
  const now = new Date();
  return [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1];
}

function peopleOf({ buyers, developers, agents }: Size): string[] {
  return [
    `INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id, registration_paid_at)
      SELECT bench_user('usr', n), n || '@bench.test', 'x', 'Bench ' || n, CASE WHEN n < ${buyers} THEN 'buyer' ELSE
        'developer' END, CASE WHEN n >= ${buyers} THEN 'dev_bench-' || n END, NULL
      FROM generate_series(0, ${buyers + developers - 1}) n ORDER BY n`,
    `INSERT INTO slugs (slug, developer_user_id)
      SELECT 'bench-' || n, bench_user('usr', ${buyers} + n) FROM generate_series(0, ${agents - 1}) n`,
    `INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret, listed)
      SELECT 'agt_bench_' || n, 'bench-' || n, 1, bench_user('usr', ${buyers} + n), 'manifest', 'x', true
      FROM generate_series(0, ${agents - 1}) n`,
    `INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest, manifest_sha256,
        public_part, endpoint_url, display_name, description, category, tags, pricing_model, price_units, timeout_ms,
        max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable, fee_percent, live_at)
      SELECT bench_user('agv', n), 'agt_bench_' || n, 'bench-' || n, '1.0.0', 1, 0, 0, 'live', '{}', 'x', '{}',
        'https://agent.bench.test', 'Bench agent ' || n, 'Profiles tables and reports ' || md5(n::text), 'data', '{csv,data}',
        'per_call', ${PRICE}, 30000, 100000, 30, false, false, false, 3, now() FROM generate_series(0, ${agents - 1}) n`,
    `UPDATE agents SET serving_version_id = bench_user('agv', replace(agent_id, 'agt_bench_', '')::bigint), live_at = now()`,
    `INSERT INTO agent_stats (agent_id, due_at) SELECT agent_id, now() FROM agents ON CONFLICT DO NOTHING`,
    `INSERT INTO webhooks (webhook_id, user_id, types, sealed)
      SELECT bench_user('whk', 0), bench_user('usr', 1), '{invocation.succeeded}', 'x'`,
  ];
}

function monthsOf(startMs: number): string[] {
  const tables = `partitioned_tables() t`;
  return [
    `SELECT partition_make(t.parent, m::date) FROM ${tables}, generate_series(date_trunc('month', to_timestamp(${startMs} / 1000.0)
      AT TIME ZONE 'UTC') - interval '1 month', (now() AT TIME ZONE 'UTC'), interval '1 month') m ORDER BY m, t.parent`,
  ];
}

/** Top-ups and payouts, with their money. */
function loadsOf(size: Size, startMs: number, first: number): string[] {
  const at = `to_timestamp(${startMs - DAY_MS} / 1000.0)`;
  const ms = startMs - DAY_MS;
  const buyers = `generate_series(0, ${size.buyers - 1}) n`;
  return [
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, status, created_at, completed_at)
      SELECT bench_id('top', ${ms}, n), bench_user('usr', n), ${LOADED}, 'INR', ${LOADED}, 'sandbox', 'succeeded', ${at}, ${at} FROM ${buyers}`,
    `INSERT INTO invoice_series VALUES ('SBX-2026', ${size.buyers})`,
    `INSERT INTO invoices (invoice_id, number, series, series_no, topup_id, user_id, amount_minor, currency, amount_units, status)
      SELECT bench_id('ivc', ${ms}, n), 'SBX-2026-' || n + 1, 'SBX-2026', n + 1, bench_id('top', ${ms}, n),
        bench_user('usr', n), ${LOADED}, 'INR', ${LOADED}, 'sandbox' FROM ${buyers}`,
    `WITH made AS (INSERT INTO transactions (transaction_id, kind, reference, description, created_at)
        SELECT bench_id('txn', ${ms}, n), 'topup', 'topup/' || bench_id('top', ${ms}, n), 'Top-up', ${at} FROM ${buyers}
        RETURNING reference, transaction_id) INSERT INTO transaction_references SELECT * FROM made`,
    `INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, balance_before_units,
        balance_after_units, account_version, created_at)
      SELECT bench_id('txn', ${ms}, n), e.line, e.account, 'topup', e.amount, e.left_at, e.left_at + e.amount, e.version, ${at}
      FROM ${buyers} CROSS JOIN LATERAL (VALUES (1, 1, -${LOADED}, NULL::bigint, NULL), (2, 2, ${LOADED}, NULL, NULL),
        (3, 2, -${LOADED}, NULL, NULL), (4, ${first} + n * 10, ${LOADED}, 0, 1)) e(line, account, amount, left_at, version)`,
  ];
}

/** Rows that follow from the calls: paid payouts, and balances. */
function totalsOf(size: Size): string[] {
  const paid = `(SELECT payout_id, developer_user_id, sum(net_units)::bigint AS units,
      count(*) AS lots,
      min(matures_at) AS lots_from, max(matures_at) AS lots_until, max(created_at) AS at, max(invocation_id) AS last_id FROM earnings WHERE payout_id IS NOT NULL GROUP BY payout_id, developer_user_id) p`;
  const ids = `p.*, row_number() OVER (ORDER BY payout_id) AS nth, floor(extract(epoch FROM p.at) * 1000)::bigint AS ms`;
  return [
    `CREATE TABLE bench_paid AS SELECT ${ids} FROM ${paid}`,
    `INSERT INTO payouts (payout_id, developer_user_id, as_of, period_start, status, method, method_id, lots_units, carried_units,
        amount_units, remainder_units, amount_minor, currency, initiated_at, completed_at, reference, lots, lots_from, lots_until, steps)
      SELECT payout_id, developer_user_id, date_trunc('week', at), date_trunc('week', at) - interval '7 days', 'paid', 'ach',
        (SELECT m.method_id FROM payout_methods m WHERE m.developer_user_id = b.developer_user_id LIMIT 1), units, 0, units,
        0, units / 100, 'USD', at, at, 'bench', lots, lots_from, lots_until, 1 FROM bench_paid b`,
    `INSERT INTO payout_cursors (developer_user_id, pay_to, agents, matures_at, invocation_id)
      SELECT developer_user_id, '', '{}', lots_until, last_id FROM bench_paid`,
    `WITH made AS (INSERT INTO transactions (transaction_id, kind, reference, description, created_at)
        SELECT bench_id('txn', b.ms + s.late, ${4 * size.calls} + 2 * b.nth + s.late), 'payout',
          'payout/' || b.payout_id || s.ending, 'Payout', b.at
        FROM bench_paid b CROSS JOIN (VALUES (0, '/reserve'), (1, '/paid')) s(late, ending)
        RETURNING reference, transaction_id) INSERT INTO transaction_references SELECT * FROM made`,
    `INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, created_at)
      SELECT bench_id('txn', b.ms + e.late, ${4 * size.calls} + 2 * b.nth + e.late), e.line, e.account, 'payout', e.amount, b.at
      FROM bench_paid b JOIN accounts a ON a.user_id = b.developer_user_id AND a.kind = 'payable'
      CROSS JOIN LATERAL (VALUES (0, 1, a.account_id, -b.units), (0, 2, 3, b.units), (1, 1, 3, -b.units),
        (1, 2, 1, b.units)) e(late, line, account, amount)`,
    `UPDATE accounts a SET balance_units = e.units, version = CASE WHEN a.hot THEN a.version ELSE e.entries END
      FROM (SELECT account_id, sum(amount_units) AS units, count(*) AS entries FROM entries GROUP BY account_id) e
      WHERE e.account_id = a.account_id`,
  ];
}

/** Days of buyers that retention_purge keeps. */
const KEPT_BUYER_DAYS = 31;

/** The usage of each day, read from the calls once, and written in the order of days, as the service does. */
const USAGE = [
  `CREATE TEMP TABLE usage AS SELECT agent_id, (invoked_at AT TIME ZONE 'UTC')::date AS day, status, duration_ms,
      count(*) AS calls, sum(charged_units) AS units FROM invocations GROUP BY 1, 2, 3, 4`,
  `INSERT INTO agent_days (agent_id, day, status, error_code, calls, gross_units, fee_units)
    SELECT agent_id, day, status, '', sum(calls), sum(units), sum(calls) * ${FEE} FROM usage GROUP BY 1, 2, 3 ORDER BY 2, 1`,
  `INSERT INTO agent_totals SELECT agent_id, status, error_code, sum(calls), sum(gross_units), sum(fee_units)
    FROM agent_days GROUP BY 1, 2, 3`,
  `INSERT INTO agent_day_durations (agent_id, day, bucket, calls)
    SELECT agent_id, day, duration_bucket(duration_ms), sum(calls) FROM usage GROUP BY 1, 2, 3 ORDER BY 2, 1, 3`,
  `INSERT INTO buyer_days (agent_id, day, buyer_user_id, succeeded)
    SELECT agent_id, (invoked_at AT TIME ZONE 'UTC')::date AS day, buyer_user_id, count(*) FROM invocations
    WHERE status = 'succeeded' AND (invoked_at AT TIME ZONE 'UTC')::date >= (now() AT TIME ZONE 'UTC')::date - ${KEPT_BUYER_DAYS} GROUP BY 1, 2, 3 ORDER BY 2, 1, 3`,
  `INSERT INTO buyer_day_sums (agent_id, day, calls, buyers, shares)
    SELECT agent_id, day, sum(succeeded), count(*), count(*) FROM buyer_days GROUP BY 1, 2 ORDER BY 2, 1`,
];
