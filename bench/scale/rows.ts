/** The rows of the bench: what is measured on each database, and which of them may grow with history. */
import { Pool } from 'pg';
import { newId, newTraceId } from '../../src/kit/ids/ids';
import { createPool } from '../../src/stores/db';
import { holdAndPermit } from '../../src/stores/calls/invocations';
import { acceptInvocations, settleInvocations } from '../../src/stores/calls/call-batches';
import { findLongCalls } from '../../src/stores/calls/long-calls';
import { listInvocations } from '../../src/stores/calls/invocation-reads';
import { refreshStats } from '../../src/stores/catalogue/agent-stats';
import { searchListings } from '../../src/stores/catalogue/search/listing-search';
import { readDays, readUsage } from '../../src/stores/catalogue/usage';
import { listLines, readDeveloperBalance } from '../../src/stores/ledger/ledger-reads';
import { listMaturity } from '../../src/stores/payouts/earning-days';
import { listLotLines } from '../../src/stores/payouts/payout-statements';
import { listPayouts, readPayout } from '../../src/stores/payouts/payouts';
import { purgeExpired } from '../../src/stores/operations/retention';
import { listDeliveries } from '../../src/stores/webhooks/webhook-history';
import { median } from '../measure';
import type { Size } from './call-lines';

export interface Measured {
  name: string;
  /** Milliseconds, or what `unit` says. */
  value: number;
  unit: 'ms' | 's' | 'bytes';
  /** True: the row may grow with the number of calls in history. */
  mayGrow: boolean;
}

const REPETITIONS = Number(process.env['BENCH_REPETITIONS'] ?? 41);
const WARM_UP = 8;
const PAGE = 20;
const id = (prefix: string, n: number) =>
  `${prefix}_${'1'.padStart(12, '0')}7${n.toString(16).padStart(19, '0')}`;

export interface Filled {
  size: Size;
  appUrl: string;
}

interface Row {
  name: string;
  work: (n: number) => Promise<unknown>;
}

/**
 * Measures everything that calls, lists, loops and Schedules do often, on each database in turn, so that what else the
 * machine does is the same for all of them. Returns the medians of each database.
 */
export async function measureOften(filled: readonly Filled[]): Promise<Measured[][]> {
  const pools = filled.map(({ appUrl }) =>
    createPool({ connectionString: appUrl, max: 4, applicationName: 'bench', onError: () => undefined }),
  );
  try {
    const measured = await measureCalls(pools, filled);
    const rows: Row[][] = [];
    for (const [at, pool] of pools.entries()) rows.push(await rowsOf(pool, filled[at]?.size as Size));
    for (const [nth, { name }] of (rows[0] ?? []).entries()) {
      const times = await inTurn(rows.map((of) => of[nth] as Row));
      measured.forEach((of, at) =>
        of.push({ name, value: times[at] ?? Number.NaN, unit: 'ms', mayGrow: false }),
      );
    }
    return measured;
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** The median time of each row; not a number when it failed. */
async function inTurn(rows: readonly Row[]): Promise<number[]> {
  const times = rows.map(() => [] as number[]);
  for (let n = 0; n < WARM_UP + REPETITIONS; n += 1) {
    for (const [at, { name, work }] of rows.entries()) {
      const from = performance.now();
      try {
        await work(n);
      } catch (error) {
        console.error(`${name}: ${(error as Error).message}`);
        return rows.map(() => Number.NaN);
      }
      if (n >= WARM_UP) times[at]?.push(performance.now() - from);
    }
  }
  return times.map(median);
}

async function rowsOf(pool: Pool, size: Size): Promise<Row[]> {
  return [
    {
      name: 'lease sweep: what is abandoned',
      work: () => pool.query(`SELECT * FROM invocation_abandoned(15000, 100, '{}')`),
    },
    ...(await listRows(pool, size)),
    ...figureRows(pool, size),
    { name: 'retention: one batch', work: () => purgeExpired(pool, 1_000) },
  ];
}

export const STEPS = ['accept', 'hold', 'settle'] as const;

/** How often a worker lists long calls, in ms. */
const LIST_EVERY_MS = 2_000;

/**
 * Lists long calls when it is time, as a worker does. Otherwise calls in flight are counted from the first month on.
 */
export function longCallsOf(pools: readonly Pool[]): () => Promise<void> {
  let listedAt = -LIST_EVERY_MS;
  return async () => {
    if (performance.now() - listedAt < LIST_EVERY_MS) return;
    for (const pool of pools) await findLongCalls(pool);
    listedAt = performance.now();
  };
}

/** Accept, hold and settle, of a small buyer and of the largest one. */
async function measureCalls(pools: readonly Pool[], filled: readonly Filled[]): Promise<Measured[][]> {
  const measured: Measured[][] = pools.map(() => []);
  const listLongCalls = longCallsOf(pools);
  for (const [who, buyer] of [
    ['a small buyer', 7],
    ['the largest buyer', 0],
  ] as const) {
    const times = pools.map(() => ({ accept: [] as number[], hold: [] as number[], settle: [] as number[] }));
    for (let n = 0; n < WARM_UP * 3 + REPETITIONS * 5; n += 1) {
      await listLongCalls();
      for (const [at, pool] of pools.entries()) {
        const took = await call(pool, buyer, 1 + (n % ((filled[at]?.size.agents ?? 2) - 1)));
        if (n >= WARM_UP * 3) for (const step of STEPS) times[at]?.[step].push(took[step]);
      }
    }
    for (const step of STEPS)
      measured.forEach((of, at) =>
        of.push({
          name: `${step}, ${who}`,
          value: median(times[at]?.[step] ?? []),
          unit: 'ms',
          mayGrow: false,
        }),
      );
  }
  return measured;
}

/** Makes one call and returns the milliseconds of its steps. */
export async function call(pool: Pool, buyer: number, agent: number) {
  const invocationId = newId('inv');
  const times = { accept: 0, hold: 0, settle: 0 };
  const step = async <T>(name: keyof typeof times, work: () => Promise<T>): Promise<T> => {
    const at = performance.now();
    const result = await work();
    times[name] = performance.now() - at;
    return result;
  };
  const [accepted] = await step('accept', () =>
    acceptInvocations(pool, [
      {
        invocation_id: invocationId,
        buyer_user_id: id('usr', buyer),
        agent_id: `agt_bench_${agent}`,
        version_id: id('agv', agent),
        surface: 'invoke',
        max_cost_credits: null,
        least_cost_credits: 10,
        idempotency_key: newTraceId(),
        input_sha256: 'a'.repeat(64),
        input_bytes: 1,
        owner: 'bench',
        trace_id: newTraceId(),
        max_in_flight_buyer: 100,
        max_in_flight_agent: 100,
        max_in_flight_unpaid: 64,
        key_id: null,
        mandate: null,
      },
    ]),
  );
  if (accepted?.outcome !== 'accepted') throw new Error(`a call was refused: ${accepted?.outcome}`);
  await step('hold', () => holdAndPermit(pool, invocationId, 30_000));
  const settled = {
    invocation_id: invocationId,
    charged_units: 1_000,
    output_sha256: 'b'.repeat(64),
    output_bytes: 1,
    tokens_in: 1,
    tokens_out: 1,
    duration_ms: 200,
    answer: null,
    answer_ttl_ms: 1_000,
    answer_quota: null,
    matures_after_ms: 86_400_000,
  };
  await step('settle', () => settleInvocations(pool, [settled as never]));
  return times;
}

/** The first and the hundredth page of each list. */
async function listRows(pool: Pool, { buyers }: Size): Promise<Row[]> {
  const rows: Row[] = [];
  const row = (name: string, work: Row['work']) => rows.push({ name, work });
  const skip = PAGE * 99;
  const at = async (sql: string): Promise<string | undefined> =>
    (await pool.query<{ key: string }>(`${sql} OFFSET ${skip} LIMIT 1`)).rows[0]?.key;
  const buyerUserId = id('usr', 0);
  const developer = id('usr', buyers);
  const lists: [string, string, (before: string | undefined) => Promise<unknown>][] = [
    [
      'calls of the largest buyer',
      `SELECT invocation_id AS key FROM invocations WHERE buyer_user_id = '${buyerUserId}' ORDER BY invocation_id DESC`,
      (beforeId) => listInvocations(pool, { buyerUserId, limit: PAGE, beforeId }),
    ],
    ...(
      [
        ['wallet of the largest buyer', buyerUserId, ['wallet']],
        ['earnings of the largest developer', developer, ['payable']],
      ] as const
    ).map(([name, userId, accounts]): [string, string, (before: string | undefined) => Promise<unknown>] => [
      name,
      `SELECT entry_id AS key FROM entries WHERE account_id =
           (SELECT account_id FROM accounts WHERE user_id = '${userId}' AND kind = '${accounts[0]}') ORDER BY entry_id DESC`,
      (beforeEntryId) => listLines(pool, { userId, accounts: [...accounts], beforeEntryId, limit: PAGE }),
    ]),
    [
      'deliveries of a webhook',
      `SELECT delivery_id AS key FROM webhook_deliveries WHERE endpoint_id = '${id('whk', 0)}' ORDER BY delivery_id DESC`,
      (beforeId) => listDeliveries(pool, id('whk', 0), { limit: PAGE, beforeId } as never),
    ],
  ];
  for (const [name, sql, list] of lists) {
    const before = await at(sql);
    row(`list: ${name}, page 1`, () => list(undefined));
    row(`list: ${name}, page 100`, () => list(before));
  }
  row('list: payouts of a developer', () =>
    listPayouts(pool, { developerUserId: id('usr', buyers + 1), limit: PAGE }),
  );
  const payout = await readPayout(pool, id('pay', 1));
  if (!payout) throw new Error('no payout was filled in');
  row('list: statement of a payout', () => listLotLines(pool, payout, { limit: PAGE }));
  row('list: maturity of the largest developer', () => listMaturity(pool, developer, { limit: PAGE }));
  return rows;
}

function figureRows(pool: Pool, { buyers }: Size): Row[] {
  const rows: Row[] = [];
  const row = (name: string, work: Row['work']) => rows.push({ name, work });
  const until = new Date();
  const since = new Date(until.getTime() - 7 * 86_400_000);
  const agentId = 'agt_bench_0';
  row('usage of the busiest agent, 7 days', () => readUsage(pool, { agentId, since, until }));
  row('usage of the busiest agent, from the first day on', () =>
    readUsage(pool, { agentId, since: new Date(0), until }),
  );
  row('usage of the busiest agent, by day', () => readDays(pool, { agentId, since, until }));
  row('listing search', () => searchListings(pool, { q: 'tables' }, { sort: 'relevance', limit: PAGE }));
  row('listing figures, 50 agents', (n) =>
    refreshStats(
      pool,
      Array.from({ length: 50 }, (_, k) => `agt_bench_${((n + 8) * 50 + k) % 500}`),
    ),
  );
  row('balance of the largest developer', () => readDeveloperBalance(pool, id('usr', buyers), until));
  return rows;
}

/** Bytes of the tables of calls, with their indexes, for each call. */
export async function measureBytes(superuserUrl: string, { calls }: Size): Promise<Measured[]> {
  const pool = new Pool({ connectionString: superuserUrl, max: 1 });
  const { rows } = await pool.query<{ name: string; heap: string; indexes: string }>(`
    SELECT coalesce(parent.relname, c.relname) AS name, sum(pg_table_size(c.oid)) AS heap, sum(pg_indexes_size(c.oid)) AS indexes
    FROM pg_class c LEFT JOIN pg_inherits h ON h.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = h.inhparent
    WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'months'::regnamespace)
    GROUP BY 1 HAVING sum(pg_total_relation_size(c.oid)) > ${calls} * 4 ORDER BY sum(pg_total_relation_size(c.oid)) DESC`);
  await pool.end();
  const of = (name: string, value: number): Measured => ({
    name,
    value: value / calls,
    unit: 'bytes',
    mayGrow: false,
  });
  return [
    of(
      'bytes per call',
      rows.reduce((sum, { heap, indexes }) => sum + Number(heap) + Number(indexes), 0),
    ),
    ...rows.flatMap(({ name, heap, indexes }) => [
      of(`  ${name}`, Number(heap)),
      of(`  ${name}: indexes`, Number(indexes)),
    ]),
  ];
}
