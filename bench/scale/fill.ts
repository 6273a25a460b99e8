/**
 * Fills a database with finished calls, as the service would have left them: every amount, balance and chain of versions
 * adds up, and the ledger check holds. Calls are spread evenly over the days before today; a smaller database has fewer
 * days, so that one day is alike in both.
 */
import { Client } from 'pg';
import { run } from './place';

export interface Size {
  calls: number;
  days: number;
  buyers: number;
  developers: number;
  agents: number;
  /** The newest calls, whose lots are in no payout yet. Developer 0 has been paid nothing at all. */
  unpaid: number;
}

/** Units: the price of a call, the fee, the net. */
const [PRICE, FEE, NET] = [1_000, 30, 970];
/** What each buyer has loaded. */
const LOADED = 10_000_000_000;
const CHUNK = 200_000;
const DAY_MS = 86_400_000;

/** Ids of the bench: deterministic, and sorted by time like those of the service. */
const FUNCTIONS = `
  CREATE FUNCTION bench_id(prefix text, ms bigint, n bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN prefix || '_' || lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n), 19, '0');
  CREATE FUNCTION bench_user(prefix text, n bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN bench_id(prefix, 1, n);`;

/** Every fifth call is of buyer 0, every tenth of developer 0; the others take turns. */
function callsOf(size: Size, startMs: number, from: number, until: number): string {
  const stepMs = (size.days * DAY_MS) / size.calls;
  return `(SELECT n, ms, bench_id('inv', ms, n) AS id, buyer, brank, dev, agent,
      bench_user('usr', buyer) AS buyer_id, bench_user('usr', ${size.buyers} + dev) AS dev_id,
      'agt_bench_' || agent AS agent_id, bench_user('agv', agent) AS version_id, md5(n::text) AS trace,
      to_timestamp(ms / 1000.0) AS at
    FROM (SELECT n, (${startMs} + floor(n * ${stepMs}::numeric))::bigint AS ms,
        CASE WHEN n % 5 = 0 THEN 0 ELSE 1 + (n - n / 5 - 1) % ${size.buyers - 1} END AS buyer,
        CASE WHEN n % 5 = 0 THEN n / 5 ELSE (n - n / 5 - 1) / ${size.buyers - 1} END AS brank,
        CASE WHEN n % 10 = 1 THEN 0 ELSE 1 + (n - (n + 8) / 10) % ${size.developers - 1} END AS dev,
        CASE WHEN n % 10 = 1 THEN 0 ELSE 1 + n % ${size.agents - 1} END AS agent
      FROM generate_series(${from}::bigint, ${until - 1}::bigint) n OFFSET 0) s) c`;
}

const isPaid = (size: Size) => `(c.dev <> 0 AND c.n < ${size.calls - size.unpaid})`;

function entriesOf(calls: string, first: number): string {
  const left = `${LOADED}::bigint - ${PRICE} * c.brank`;
  const wallet = `${first} + c.buyer * 10`;
  return `INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, balance_before_units,
      balance_after_units, account_version, created_at)
    SELECT bench_id('txn', c.ms + e.late, 2 * c.n + e.step), e.line, e.account, e.type, e.amount, e.left_at,
      e.left_at + e.amount, e.version, c.at
    FROM ${calls} CROSS JOIN LATERAL (VALUES
      (5, 0, 1, ${wallet}, 'invocation_hold', -${PRICE}, ${left}, 3 * c.brank + 2),
      (5, 0, 2, ${wallet} + 1, 'invocation_hold', ${PRICE}, 0, 2 * c.brank + 1),
      (300, 1, 1, ${wallet} + 1, 'invocation_release', -${PRICE}, ${PRICE}, 2 * c.brank + 2),
      (300, 1, 2, ${wallet}, 'invocation_release', ${PRICE}, ${left} - ${PRICE}, 3 * c.brank + 3),
      (300, 1, 3, ${wallet}, 'invocation_charge', -${PRICE}, ${left}, 3 * c.brank + 4),
      (300, 1, 4, ${first} + (c.dev + $1) * 10 + 2, 'invocation_earning', ${NET}, NULL, NULL),
      (300, 1, 5, 4, 'platform_fee', ${FEE}, NULL, NULL)
    ) e(late, step, line, account, type, amount, left_at, version)`;
}

/** The rows of calls besides their entries. */
function rowsOf(size: Size, calls: string): string[] {
  return [
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
        status, price_units, input_sha256, output_sha256, owner, trace_id, tokens_in, tokens_out, duration_ms,
        charged_units, invoked_at, settled_at)
      SELECT id, buyer_id, dev_id, agent_id, version_id, '1.0.0', 'invoke', 'succeeded', ${PRICE}, trace || trace,
        trace || trace, 'bench-owner-0000000000000000', trace, 12, 34, 200 + n % 97, ${PRICE}, at, at + interval '300 ms'
      FROM ${calls}`,
    `INSERT INTO holds (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units, state,
        captured_units, forwarded_at, forward_count, lease_until, trace_id, created_at, resolved_at)
      SELECT id, buyer_id, dev_id, agent_id, version_id, ${PRICE}, 'captured', ${PRICE}, at, 1, at + interval '60 s',
        trace, at, at + interval '300 ms' FROM ${calls}`,
    `INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units,
        matures_at, payout_id, created_at)
      SELECT id, dev_id, agent_id, ${PRICE}, ${FEE}, 3, ${NET}, at + interval '1 day',
        CASE WHEN ${isPaid(size)} THEN bench_user('pay', c.dev) END, at FROM ${calls}`,
    `WITH made AS (INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description,
          trace_id, created_at)
        SELECT bench_id('txn', c.ms + s.late, 2 * c.n + s.step), s.kind, 'invocation/' || c.id || s.ending, c.id,
          c.agent_id, s.what || c.agent_id, c.trace, c.at
        FROM ${calls} CROSS JOIN (VALUES (5, 0, 'invocation_hold', '/hold', 'Hold for '),
          (300, 1, 'invocation_charge', '/capture', 'Charge for ')) s(late, step, kind, ending, what)
        RETURNING reference, transaction_id)
      INSERT INTO transaction_references (reference, transaction_id) SELECT reference, transaction_id FROM made`,
    `INSERT INTO invocation_keys (buyer_user_id, idempotency_key, invocation_id, agent_id, input_sha256)
      SELECT buyer_id, trace, id, agent_id, trace || trace FROM ${calls} WHERE n % 5 = 3`,
    `WITH made AS (INSERT INTO events (event_id, type, agent_id, data, created_at)
        SELECT bench_id('evt', ms + 300, n), 'invocation.succeeded', agent_id, jsonb_build_object('invocation_id', id,
          'status', 'succeeded', 'credits_charged', '10.00', 'duration_ms', 200), at FROM ${calls} WHERE n % 50 = 0
        RETURNING event_id, created_at)
      INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, state, attempts,
        last_status, started_at, created_at, finished_at)
      SELECT 'whd_' || substr(event_id, 5), event_id, 'webhook', bench_user('whk', 0), event_id, 'delivered', 1, 200,
        created_at, created_at, created_at FROM made`,
  ];
}

/** Fills a database by its superuser, without triggers; returns the ids that the rows of the bench use. */
export async function fill(
  url: string,
  size: Size,
  cipherRows: (client: Client) => Promise<void>,
): Promise<void> {
  const startMs = Date.UTC(...today()) - (size.days - 1) * DAY_MS;
  await run(url, [FUNCTIONS, ...peopleOf(size), ...monthsOf(startMs)]);
  const client = new Client({ connectionString: url });
  await client.connect();
  await cipherRows(client);
  const { rows } = await client.query<{ first: string }>(
    `SELECT account_id AS first FROM accounts WHERE kind = 'wallet' AND user_id = bench_user('usr', 0)`,
  );
  const first = Number(rows[0]?.first);
  const quiet = `SET session_replication_role = replica; SET synchronous_commit = off; SET jit = off`;
  await client.query(quiet);
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query(quiet);
  for (const sql of loadsOf(size, startMs, first)) await client.query(sql);
  const inChunks = async (work: (calls: string) => Promise<void>) => {
    for (let from = 0; from < size.calls; from += CHUNK)
      await work(callsOf(size, startMs, from, Math.min(from + CHUNK, size.calls)));
  };
  await Promise.all([
    inChunks(
      async (calls) =>
        void (await client.query(entriesOf(calls, first).replaceAll('$1', String(size.buyers)))),
    ),
    inChunks(async (calls) => {
      for (const sql of rowsOf(size, calls)) await other.query(sql);
    }),
  ]);
  for (const sql of totalsOf(size, first)) await client.query(sql);
  await Promise.all([client.end(), other.end()]);
  await run(url, ['VACUUM (ANALYZE)', 'CHECKPOINT']);
}

/** The UTC date of today as arguments of Date.UTC; calls end with the last moment of yesterday's tomorrow minus a day. */
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

/** What follows from the calls: payouts that were paid, balances, and the usage of each day. */
function totalsOf(size: Size, first: number): string[] {
  const payable = `${first} + (${size.buyers} + c.dev) * 10 + 2`;
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
    'SELECT earning_days_recount()',
    `INSERT INTO agent_days (agent_id, day, status, error_code, calls, gross_units, fee_units)
      SELECT agent_id, (invoked_at AT TIME ZONE 'UTC')::date, status, '', count(*), sum(charged_units), count(*) * ${FEE}
      FROM invocations GROUP BY 1, 2, 3`,
    `INSERT INTO agent_day_durations (agent_id, day, bucket, calls)
      SELECT agent_id, (invoked_at AT TIME ZONE 'UTC')::date, duration_bucket(duration_ms), count(*)
      FROM invocations GROUP BY 1, 2, 3`,
    `SELECT ${payable} FROM (VALUES (0)) c(dev)`,
  ];
}
