/**
 * Thirty days before the first start: accounts, calls, disputes, a slash, Mondays. The functions and statements of the
 * service write everything, at past times, in two transactions: `open` before agents are published, `fill` after it.
 * None of the calls was made: each names `HISTORY_OWNER` as the process that owned it (ADR 0280).
 */
import type { Client } from 'pg';
import type { Config } from '../../../config';
import type { FixedCurrency } from '../../../domain/billing/billing';
import { REGISTRATION_FEE_UNITS, unitsToCredits } from '../../../domain/ledger/money';
import { createCipher, parseMasterKeys } from '../../../kit/crypto/cipher';
import { createLogger } from '../../../logger';
import { createSigningKeys } from '../../../services/evidence/signing-keys';
import { createLedgerDigests } from '../../../services/ledger/ledger-digests';
import { createPool, onlyRow } from '../../../stores/db';
import { ExactClient } from '../../../stores/stored-time';
import { OWNER_ROLE } from '../../postgres/database';
import { DAYS, planCalls } from './call-plan';
import {
  type CallContext,
  HISTORY_OWNER,
  type PastCall,
  preparePastCalls,
  withId,
  writePastCalls,
} from './past-calls';
import { disputeMoments } from './past-disputes';
import { slashMoments } from './past-slash';
import { DAY_MS, HOUR_MS, type Moment, type Seller } from './moment';
import { countDay, deliverEvents, noteStatus, rollUp } from './past-days';
import { beginToSell, levelWallet, refill, topUpInThePast } from './past-money';
import { mondayMoments } from './past-mondays';
import { inThePast, type Past } from './past';
import { keepUnsealed, stateOf, unsealDays } from './unsealed';

/** Ids of the users of the history. */
export type HistoryUsers = Record<'buyer' | 'developer' | 'operator' | 'studio' | 'team', string>;

export interface History {
  /** Writes what was before the first call: ages of accounts, credits, fees of sellers, and bonds. */
  open(users: HistoryUsers, bonds: Record<Seller, number>): Promise<void>;
  /** Writes the thirty days. Returns what was written, for the terminal. */
  fill(users: HistoryUsers): Promise<string>;
  close(): Promise<void>;
}

export interface HistoryDeps {
  config: Config;
  /** Connection of the app role. */
  databaseUrl: string;
  /** Share of the calls, for tests; default 1. */
  share?: number;
  /** End of the history, in ms since 1970, for tests; default now. */
  nowMs?: number;
}

const COUNTED_EVERY_MS = 5 * 60_000;
const BEGIN_CREDITS = 600;

/**
 * Prepares to write the history of a marketplace in which nothing has happened yet; undefined in any other. Until
 * `close`, no day of the ledger is sealed, because the days before today are still to be written.
 */
export async function startHistory(superuserUrl: string, deps: HistoryDeps): Promise<History | undefined> {
  const { config, nowMs = Date.now() } = deps;
  const [client, guard] = await Promise.all([connect(superuserUrl), connect(superuserUrl)]);
  const close = async () => {
    await Promise.all([client.end(), guard.end()]);
  };
  await guard.query('BEGIN');
  const state = (await keepUnsealed(guard)) ? await stateOf(client) : 'done';
  if (state === 'done') {
    await close();
    return undefined;
  }
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return {
    async open(users, bonds) {
      if (state === 'begun') return;
      await makeMonths(client, todayMs);
      const beginMs = todayMs - (DAYS + 1) * DAY_MS + 9 * HOUR_MS;
      await inThePast(client, beginMs, (past) => openHistory(past, { users, bonds, atMs: beginMs }));
    },
    async fill(users) {
      const context = await readContext(client, users, config);
      const calls = planCalls(nowMs, deps.share).map(withId);
      await inThePast(client, todayMs - DAYS * DAY_MS, (past) =>
        fillHistory(past, { context, config, users, calls, todayMs, nowMs }),
      );
      await guard.query('ROLLBACK');
      await sealDays(deps);
      return summaryOf(client);
    },
    close,
  };
}

/** What was written, for the terminal. */
async function summaryOf(client: Client): Promise<string> {
  const found = await client.query<Record<'calls' | 'disputes' | 'slashes' | 'payouts', number>>(
    `SELECT (SELECT count(*) FROM invocations WHERE owner = $1)::int AS calls,
       (SELECT count(*) FROM disputes)::int AS disputes, (SELECT count(*) FROM slashes)::int AS slashes,
       (SELECT count(*) FROM payouts WHERE status = 'paid')::int AS payouts`,
    [HISTORY_OWNER],
  );
  const { calls, disputes, slashes, payouts } = onlyRow(found);
  const others = `disputes: ${disputes}, slashes: ${slashes}, payouts: ${payouts}`;
  return `${calls} calls of ${DAYS} days (${others}); all of it is made up`;
}

/** Seals the days of the history, as the worker does within the hour, so that the ledger can be checked at once. */
async function sealDays({ config, databaseUrl }: HistoryDeps): Promise<void> {
  const cipher = createCipher(parseMasterKeys(config.MASTER_KEYS));
  const logger = createLogger('demonstration', 'silent');
  const pool = createPool({
    connectionString: databaseUrl,
    max: 2,
    applicationName: 'history',
    onError: () => undefined,
  });
  try {
    await createLedgerDigests({ pool, keys: createSigningKeys({ pool, cipher }), logger })();
  } finally {
    await pool.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new ExactClient({ connectionString: url });
  await client.connect();
  return client;
}

/** Makes the partitions of the months of the history. Their owner is the role of the migrations. */
async function makeMonths(client: Client, todayMs: number): Promise<void> {
  await client.query(`SET ROLE ${OWNER_ROLE}`);
  await client.query(
    `SELECT partition_make(t.parent, m::date) FROM partitioned_tables() t,
       generate_series(date_trunc('month', $1::timestamp), $2::timestamp, interval '1 month') m ORDER BY m, t.parent`,
    [new Date(todayMs - (DAYS + 1) * DAY_MS).toISOString(), new Date(todayMs).toISOString()],
  );
  await client.query('RESET ROLE');
}

async function openHistory(
  past: Past,
  { users, bonds, atMs }: { users: HistoryUsers; bonds: Record<Seller, number>; atMs: number },
): Promise<void> {
  for (const seller of ['developer', 'studio'] as const)
    await beginToSell(past, atMs, {
      userId: users[seller],
      feeCredits: unitsToCredits(REGISTRATION_FEE_UNITS),
      bondCredits: bonds[seller],
    });
  for (const { userId, currency } of buyersOf(users))
    await topUpInThePast(past, atMs, {
      userId,
      credits: BEGIN_CREDITS,
      currency,
      key: 'demonstration/first',
    });
}

const buyersOf = (users: HistoryUsers): { userId: string; currency: FixedCurrency }[] => [
  { userId: users.buyer, currency: 'INR' },
  { userId: users.team, currency: 'USD' },
  { userId: users.studio, currency: 'USD' },
];

type Context = CallContext & {
  agents: ReadonlyMap<string, { agentId: string; versionId: string; developerUserId: string }>;
};

async function readContext(client: Client, users: HistoryUsers, config: Config): Promise<Context> {
  const { rows: agents } = await client.query<Record<'slug' | 'agent' | 'version' | 'developer', string>>(
    `SELECT slug, agent_id AS agent, serving_version_id AS version, developer_user_id AS developer FROM agents
     WHERE serving_version_id IS NOT NULL`,
  );
  const { rows: keys } = await client.query<{ user: string; key: string }>(
    `SELECT user_id AS user, min(key_id) AS key FROM api_keys WHERE kind = 'key' AND deleted_at IS NULL GROUP BY 1`,
  );
  const keyOf = (user: string) => keys.find((row) => row.user === user)?.key;
  const [buyer, team] = [keyOf(users.buyer), keyOf(users.team)];
  return {
    users,
    keys: { ...(buyer !== undefined && { buyer }), ...(team !== undefined && { team }) },
    agents: new Map(
      agents.map((row) => [
        row.slug,
        { agentId: row.agent, versionId: row.version, developerUserId: row.developer },
      ]),
    ),
    maturesAfterMs: config.DISPUTE_WINDOW_MS,
  };
}

interface Filling {
  context: Context;
  config: Config;
  users: HistoryUsers;
  calls: readonly PastCall[];
  todayMs: number;
  nowMs: number;
}

async function fillHistory(past: Past, filling: Filling): Promise<void> {
  const { context, users, calls, todayMs, nowMs } = filling;
  await unsealDays(past);
  await preparePastCalls(past);
  await ageBelongings(past, users, todayMs);
  const paid: PastCall[] = [];
  const moments = [...caseMoments(filling), ...dayMoments(filling, paid)].sort((a, b) => a.atMs - b.atMs);
  let written = 0;
  for (const { atMs, run } of moments) {
    const until = calls.findIndex(({ endMs }, at) => at >= written && endMs >= atMs);
    const end = until < 0 ? calls.length : until;
    paid.push(...(await writePastCalls(past, context, calls.slice(written, end))));
    written = end;
    await past.at(atMs);
    await run(past);
  }
  await deliverEvents(past);
  await past.at(nowMs);
  await noteStatus(past, DAYS, { todayMs, nowMs });
  await levelWallet(past, users.buyer, nowMs);
}

function caseMoments({ context, config, users, calls, todayMs, nowMs }: Filling): Moment[] {
  const cases = {
    users,
    agents: context.agents,
    disputeWindowMs: config.DISPUTE_WINDOW_MS,
    responseWindowMs: config.DISPUTE_RESPONSE_WINDOW_MS,
    counterWindowMs: config.SLASH_COUNTER_WINDOW_MS,
    topUpWindowMs: config.BOND_TOP_UP_WINDOW_MS,
  };
  const cipher = createCipher(parseMasterKeys(config.MASTER_KEYS));
  return [
    ...disputeMoments(cases, calls, nowMs),
    ...slashMoments(cases, calls, todayMs),
    ...mondayMoments({ config, cipher }, todayMs - DAYS * DAY_MS, nowMs),
  ];
}

/** Each morning wallets are filled, and each evening the calls of `paid` are counted and taken out of it. */
function dayMoments({ context, users, todayMs, nowMs }: Filling, paid: PastCall[]): Moment[] {
  const moments: Moment[] = [];
  for (let day = DAYS; day >= 0; day -= 1) {
    const startMs = todayMs - day * DAY_MS;
    moments.push({ atMs: startMs, run: (past) => refill(past, startMs, buyersOf(users)) });
    const endMs = Math.min(startMs + DAY_MS - 1, nowMs);
    moments.push({ atMs: endMs, run: (past) => countDay(past, context, paid.splice(0)) });
  }
  // The figures of the last hour have a bar for each minute in which something was counted.
  for (let atMs = nowMs - 2 * HOUR_MS; atMs < nowMs; atMs += COUNTED_EVERY_MS)
    moments.push({ atMs, run: rollUp });
  return moments;
}

/** What the accounts own was made before the first call that used it. */
async function ageBelongings({ client }: Past, users: HistoryUsers, todayMs: number): Promise<void> {
  const ids = Object.values(users);
  const at = new Date(todayMs - (DAYS + 1) * DAY_MS + 10 * HOUR_MS).toISOString();
  const aged = [
    // Mondays since an account exists are paid, so its age changes with the payouts of these Mondays.
    `UPDATE users SET created_at = $1, email_confirmed_at = coalesce(email_confirmed_at, $1) WHERE user_id = ANY ($2)`,
    'UPDATE api_keys SET created_at = $1 WHERE user_id = ANY ($2)',
    'UPDATE webhooks SET created_at = $1, updated_at = $1 WHERE user_id = ANY ($2)',
    'UPDATE payout_methods SET created_at = $1 WHERE developer_user_id = ANY ($2)',
    `UPDATE tax_forms SET submitted_at = $1, reviewed_at = $1::timestamptz + (reviewed_at - submitted_at)
       WHERE developer_user_id = ANY ($2)`,
    'UPDATE agents SET created_at = $1, live_at = $1 WHERE developer_user_id = ANY ($2)',
    `UPDATE agent_versions v SET created_at = $1, submitted_at = $1, live_at = $1 FROM agents a
       WHERE a.agent_id = v.agent_id AND a.developer_user_id = ANY ($2)`,
  ];
  // A version that serves is immutable, so its trigger would refuse another time.
  await client.query('SET LOCAL session_replication_role = replica');
  for (const statement of aged) await client.query(statement, [at, ids]);
  await client.query('SET LOCAL session_replication_role = origin');
}
