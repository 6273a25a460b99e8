/**
 * A database with a long history: rows alone, made in SQL, for tests of what statements read. The calls ended over the
 * last 60 days. Buyer 1 made a tenth of them, agent 1 answered half of them, and developer 1 owns it. Nothing of it
 * passes the ledger check, so each database of this kind is thrown away.
 */
import type { Client } from 'pg';
import { lowestIdAt, newId } from '../../../src/kit/ids/ids';

export interface LoadedRows {
  calls: number;
  /** Pending deliveries of one endpoint whose places for first attempts are all used. */
  backlog: number;
  /** Buyer 1, developer 1, and the blocked endpoint. */
  buyerId: string;
  developerId: string;
  webhookId: string;
}

/** The agent that has half of the calls. */
export const LOADED_AGENT = 'agt_loaded_1_v1';

const USERS = 200;
const AGENTS = 20;

/** Stands in the statements for the developer of the agent in the row. */
const DEVELOPER = '<developer>';
const developerOf = (first: string) =>
  `CASE agent WHEN 1 THEN '${first}' ELSE 'usr_' || ${HEX('100 + agent')} END`;

const HEX = (n: string) => `lpad(to_hex(${n}), 32, '0')`;
/** The id of the nth call of `calls`, with the time of its acceptance as its first part. */
const CALL = `'inv_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0')`;

/** Returns the id of a call of buyer 1 that has as many pieces as a job may have. */
export async function loadRows(
  owner: Client,
  { calls, backlog, buyerId, developerId, webhookId }: LoadedRows,
): Promise<{ job_id: string }> {
  await owner.query('SET synchronous_commit = off');
  await owner.query(
    `SELECT partition_make(t.parent, (now() - n * interval '1 month')::date)
       FROM partitioned_tables() t, generate_series(1, 3) n`,
  );
  await owner.query(CATALOGUE.replaceAll(DEVELOPER, developerOf(developerId)));
  await owner.query(
    `CREATE TABLE loaded AS SELECT n, at, ${CALL} AS id, CASE WHEN n % 10 = 0 THEN '${buyerId}' ELSE 'usr_' || ${HEX('1 + n % 100')} END AS buyer,
       CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % ${AGENTS} END AS agent, n % 50 = 7 AS failed
     FROM (SELECT n, date_trunc('milliseconds', now()) - interval '1 hour' - (${calls} - n) * (interval '60 days' / ${calls}) AS at
       FROM generate_series(1, ${calls}) n) s`,
  );
  for (const statement of [...CALLS, outbox(backlog, webhookId)]) {
    await owner.query(statement.replaceAll(DEVELOPER, developerOf(developerId)));
  }
  const { rows } = await owner.query<{ job_id: string }>(PIECES, [buyerId]);
  await owner.query('DROP TABLE loaded');
  await owner.query('SELECT usage_recount(), earning_days_recount()');
  await owner.query('ANALYZE');
  return { job_id: rows[0]?.job_id ?? '' };
}

const PIECES = `
  WITH job AS (SELECT id FROM loaded WHERE buyer = $1 ORDER BY n DESC LIMIT 1), pieces AS (
    INSERT INTO job_pieces (invocation_id, number, webhook_id, sha256, bytes)
    SELECT job.id, n, 'msg_' || n, 'x', 1 FROM job, generate_series(1, 1000) n)
  SELECT id AS job_id FROM job`;

const CATALOGUE = `
  INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id)
  SELECT 'usr_' || ${HEX('n')}, 'loaded-' || n || '@example.test', 'x', 'Loaded', CASE WHEN n > 100 THEN 'developer' ELSE 'buyer' END,
    CASE WHEN n > 100 THEN 'dev_loaded-' || n END FROM generate_series(1, ${USERS}) n;
  INSERT INTO slugs (slug, developer_user_id)
  SELECT 'loaded-' || agent, ${DEVELOPER} FROM generate_series(1, ${AGENTS}) agent;
  INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret, listed, created_at)
  SELECT 'agt_loaded_' || agent || '_v1', 'loaded-' || agent, 1, ${DEVELOPER}, 'manifest', '', false,
    now() - interval '61 days' FROM generate_series(1, ${AGENTS}) agent;
  INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest, manifest_sha256,
    public_part, endpoint_url, display_name, description, category, tags, pricing_model, price_units, free_tier_calls,
    timeout_ms, max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable, live_at)
  SELECT 'agv_' || ${HEX('n')}, 'agt_loaded_' || n || '_v1', 'loaded-' || n, '1.0.0', 1, 0, 0, 'live', '{}', 'x',
    '{"pricing": {"model": "per_call", "credits_per_call": 10}}',
    'https://127.77.0.1', 'Loaded', 'Loaded', 'data', '{}', 'per_call', 1000, 1000000, 1000, 1000, 1, false, false, true, now()
  FROM generate_series(1, ${AGENTS}) n;
  UPDATE agents a SET serving_version_id = v.version_id FROM agent_versions v WHERE v.agent_id = a.agent_id;`;

const CALLS = [
  `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
     status, price_units, input_sha256, owner, trace_id, charged_units, duration_ms, error_code, invoked_at, settled_at,
     free, free_month)
   SELECT id, buyer, ${DEVELOPER}, 'agt_loaded_' || agent || '_v1', 'agv_' || ${HEX('agent')}, '1.0.0', 'invoke',
     CASE WHEN failed THEN 'failed' ELSE 'succeeded' END, 1000, repeat('a', 64), 'loaded', repeat('b', 32),
     CASE WHEN failed THEN 0 ELSE 1000 END, 20 + n % 60, CASE WHEN failed THEN 'agent_error' END, at, at,
     n % 7 = 0, CASE WHEN n % 7 = 0 THEN date_trunc('month', at AT TIME ZONE 'UTC')::date END FROM loaded`,
  `INSERT INTO free_calls SELECT free_month, buyer_user_id, agent_id, count(*) FROM invocations
   WHERE free AND status <> 'failed' GROUP BY 1, 2, 3`,
  `INSERT INTO free_calls SELECT free_calls_month(), 'usr_' || ${HEX('n')}, 'agt_elsewhere_v1', 1
   FROM generate_series(1000, 20000) n`,
  `INSERT INTO holds (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units, state,
     captured_units, lease_until, created_at, resolved_at)
   SELECT id, buyer, ${DEVELOPER}, 'agt_loaded_' || agent || '_v1', 'agv_' || ${HEX('agent')}, 1000,
     CASE WHEN failed THEN 'voided' ELSE 'captured' END, CASE WHEN NOT failed THEN 1000 END, at, at, at FROM loaded`,
  `INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units, matures_at,
     created_at)
   SELECT id, ${DEVELOPER}, 'agt_loaded_' || agent || '_v1', 1000, 0, 0, 1000, at + interval '72 hours', at
   FROM loaded WHERE NOT failed`,
  // What the buyers spend, so that no wallet is ever below 0.
  `INSERT INTO transactions (transaction_id, kind, reference, description, created_at)
   SELECT 'txn_' || substr(min(id), 5, 12) || repeat('0', 20), 'topup', 'topup/loaded', 'Top-up', min(at) FROM loaded`,
  `INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, created_at)
   WITH spent AS (SELECT buyer, count(*) * 1000 AS units FROM loaded WHERE NOT failed GROUP BY buyer)
   SELECT t.transaction_id, row_number() OVER (), l.account_id, 'topup', l.units, t.created_at
     FROM (SELECT a.account_id, s.units FROM spent s JOIN accounts a ON a.user_id = s.buyer AND a.kind = 'wallet'
           UNION ALL SELECT 1, -sum(units) FROM spent) l
     JOIN transactions t ON t.reference = 'topup/loaded'`,
  `INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, created_at)
   SELECT 'txn_' || substr(id, 5), 'invocation_charge', 'invocation/' || id || '/capture', id,
     'agt_loaded_' || agent || '_v1', 'Charge', at FROM loaded WHERE NOT failed`,
  `INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, created_at)
   SELECT 'txn_' || substr(l.id, 5), p.line, a.account_id, p.type, p.units, l.at
   FROM loaded l CROSS JOIN LATERAL (VALUES (1, l.buyer, 'wallet', 'invocation_charge', -1000),
     (2, ${DEVELOPER}, 'payable', 'invocation_earning', 1000)) p(line, user_id, kind, type, units)
   JOIN accounts a ON a.user_id = p.user_id AND a.kind = p.kind WHERE NOT l.failed ORDER BY l.n`,
];

function outbox(backlog: number, webhookId: string): string {
  return `
  INSERT INTO events (event_id, type, data)
  SELECT 'evt_' || ${HEX('n')}, 'invocation.succeeded', '{}' FROM generate_series(1, ${backlog} + 20) n;
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, started_at, created_at, account)
  SELECT 'whd_' || ${HEX('n')}, 'evt_' || ${HEX('n')}, 'webhook',
    CASE WHEN n > ${backlog} THEN 'whk_' || ${HEX('n % 2')} ELSE '${webhookId}' END, 'evt_' || ${HEX('n')}, CASE WHEN n <= 50 THEN now() END,
    now() - (${backlog} + 200 - n) * interval '1 millisecond',
    CASE WHEN n > ${backlog} THEN 'usr_' || ${HEX('n % 2')} ELSE (SELECT user_id FROM webhooks WHERE webhook_id = '${webhookId}') END
  FROM generate_series(1, ${backlog} + 20) n;`;
}

/**
 * One charged call with its hold, movement and lot, and a payout with this lot, of a time for which there are
 * partitions.
 */
export async function loadOldCall(
  owner: Client,
  {
    call,
    payout,
    buyerId,
    developerId,
    at,
  }: { call: string; payout: string; buyerId: string; developerId: string; at: Date },
): Promise<void> {
  const agent = [LOADED_AGENT, `agv_${'1'.padStart(32, '0')}`];
  await owner.query(
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
       price_units, input_sha256, output_sha256, owner, trace_id, charged_units, duration_ms, invoked_at, settled_at,
       idempotency_key)
     VALUES ($1, $2, $3, $4, $5, '1.0.0', 'invoke', 'succeeded', 1000, repeat('a', 64), repeat('b', 64), 'loaded',
       repeat('b', 32), 1000, 7, $6, $6, 'years-ago')`,
    [call, buyerId, developerId, ...agent, at],
  );
  await owner.query(
    `INSERT INTO holds (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units, state,
       captured_units, lease_until, created_at, resolved_at) VALUES ($1, $2, $3, $4, $5, 1000, 'captured', 1000, $6, $6, $6)`,
    [call, buyerId, developerId, ...agent, at],
  );
  await owner.query(
    `INSERT INTO payouts (payout_id, developer_user_id, as_of, period_start, status, reason, lots_units, carried_units,
       amount_units, remainder_units, initiated_at, completed_at, lots, lots_from, lots_until, steps)
     VALUES ($1, $2, $3, $3, 'failed', 'bank_returned', 970, 0, 970, 0, $3, $3, 1, $3, $3, 1)`,
    [payout, developerId, at],
  );
  await owner.query(
    `INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units,
       matures_at, payout_id, created_at) VALUES ($1, $2, $3, 1000, 30, 3, 970, $4, $5, $4)`,
    [call, developerId, LOADED_AGENT, at, payout],
  );
  await owner.query(
    `WITH t AS (INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, created_at)
         VALUES ($1, 'invocation_charge', 'invocation/' || $2 || '/capture', $2, $3, 'Charge', $4) RETURNING *)
     INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, created_at)
     SELECT t.transaction_id, p.line, p.account, 'invocation_charge', p.units, t.created_at
       FROM t, (VALUES (1, 4, -1000), (2, 5, 1000)) p(line, account, units)`,
    [lowestIdAt('txn', at.getTime()), call, LOADED_AGENT, at],
  );
}

/** A call of a buyer to the agent that has half of the calls, as it is accepted. */
export const loadedCall = (buyerUserId: string) => ({
  invocation_id: newId('inv'),
  buyer_user_id: buyerUserId,
  agent_id: LOADED_AGENT,
  version_id: `agv_${'1'.padStart(32, '0')}`,
  surface: 'invoke' as const,
  max_cost_credits: null,
  least_cost_credits: 0,
  idempotency_key: null,
  input_sha256: 'x',
  input_bytes: 1,
  owner: 'loaded',
  trace_id: 'loaded',
  max_in_flight_buyer: 10,
  max_in_flight_agent: 1_000,
  max_in_flight_unpaid: 64,
  key_id: null,
  mandate: null,
});
