/**
 * Work that runs often reads a bounded number of rows, independently of the history
 * (docs/internals/statements.md#bounded-work): every loop, every Schedule and every list, compared with the code, on a
 * database with 60,000 ended calls (90,000 in the campaign).
 */
import type { Pool } from 'pg';
import { createContainer, type Container } from '../../../src/container';
import { operations } from '../../../src/contract/operations';
import * as payoutEngine from '../../../src/engine/payouts';
import * as schedules from '../../../src/engine/schedules';
import { lowestIdAt, newId } from '../../../src/kit/ids/ids';
import { createLogger } from '../../../src/logger';
import { readDeposit } from '../../../src/stores/bonds/bonds';
import { holdAndPermit } from '../../../src/stores/calls/invocations';
import { acceptInvocations, settleInvocations } from '../../../src/stores/calls/call-batches';
import { findLongCalls } from '../../../src/stores/calls/long-calls';
import { listMaturity } from '../../../src/stores/payouts/earning-days';
import { readDays } from '../../../src/stores/catalogue/usage';
import { listLines, readDeveloperBalance } from '../../../src/stores/ledger/ledger-reads';
import type { LoopSpec } from '../../../src/workers/loops';
import { reporting, workerLoops } from '../../../src/workers/worker-loops';
import { few } from '../../support/ledger/counts';
import { loadCases, loadPayout } from '../../support/load/loaded-cases';
import {
  AGENT_IDS,
  LISTS,
  PAGE,
  pathOf,
  QUERIES,
  READS,
  type Reader,
  readerOf,
} from '../../support/load/loaded-reads';
import { request } from '../../support/catalogue/publishing';
import { LOADED_AGENT, loadedCall, loadOldCall, loadRows } from '../../support/load/loaded-rows';
import { payMonday } from '../../support/load/loaded-monday';
import { loadTimed, timedFiles, TIMERS } from '../../support/load/loaded-timers';
import { register, startMarket, type TestMarket, type TestUser } from '../../support/market';
import { meterRows, type Statement } from '../../support/ledger/rows-read';

/** Half of them are of one agent and a tenth of one buyer: more than a statement may read, and a page may scan. */
const CALLS = few(60_000, 90_000);
const BACKLOG = 20_000;
/** The same for a page of a list with a filter that no index serves. */
const FILTERED = 16_000;

jest.setTimeout(180_000);

let market: TestMarket;
let worker: Container;
let measure: (work: () => Promise<unknown>) => Promise<Statement[]>;
let buyer: TestUser;
let developer: TestUser;
let operator: TestUser;
let webhookId: string;
let loops: LoopSpec[];
let readers: Record<Reader, TestUser>;
let ids: Record<string, string>;

beforeAll(async () => {
  market = await startMarket({ operations: false, env: { PUBLIC_READS: 'true' } });
  worker = createContainer(market.config, createLogger('test', 'silent'));
  [buyer, developer, operator] = [
    await register(market, 'buyer', 100_000),
    await register(market, 'developer'),
    await register(market, 'developer'),
  ];
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  const created = await fetch(`${market.url}/v1/webhooks`, {
    method: 'POST',
    headers: { cookie: buyer.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://127.77.0.1/hook', types: ['invocation.succeeded'] }),
  });
  webhookId = ((await created.json()) as { webhook_id: string }).webhook_id;
  const job = await loadRows(market.owner, {
    calls: CALLS,
    backlog: BACKLOG,
    buyerId: buyer.userId,
    developerId: developer.userId,
    webhookId,
  });
  await loadCases(market.owner, BACKLOG);
  await loadTimed(market.owner, BACKLOG);
  readers = { buyer, developer, operator };
  const payoutId = `pay_${'f'.repeat(32)}`;
  await loadPayout(market.owner, payoutId, developer.userId);
  const asked = [market, buyer, 'POST', '/v1/organisations', { name: 'Engines' }] as const;
  const { org_id } = (await request<{ org_id: string }>(...asked)).body;
  ids = { ...AGENT_IDS, ...job, org_id, payout_id: payoutId, webhook_id: webhookId, user_id: buyer.userId };
  const pools: Pool[] = [market.container.pool, worker.pool];
  measure = await meterRows(market.database.name, pools);
  loops = [
    ...workerLoops(worker, market.engine.link, market.engine.verificationTrigger),
    reporting(worker, []),
  ];
});
afterAll(async () => {
  await worker.close();
  await market.stop();
});

/** Fails with the text of the statement that read too much. */
function expectAtMost(statements: readonly Statement[], mostRows: number, what: string): void {
  const tooMany = statements.filter(({ rowsRead }) => rowsRead > mostRows);
  expect({ what, mostRows, tooMany }).toEqual({ what, mostRows, tooMany: [] });
}

it('detects a statement that reads the history', async () => {
  const [worst] = await measure(() =>
    market.container.pool.query(`SELECT count(*) FROM invocations WHERE status = 'failed'`),
  );
  expect(worst?.rowsRead).toBeGreaterThanOrEqual(CALLS);
});

it('reads in each turn of each loop what the loop declares at most', async () => {
  for (const { name, mostRows, work } of loops) {
    expectAtMost(await measure(work), mostRows, name);
    // A second turn, on what the first one has left.
    expectAtMost(await measure(work), mostRows, name);
  }
});

it('reads a bounded number of rows for the metrics, however long the history is', async () => {
  expectAtMost(await measure(() => worker.backlog.money()), 1_000, 'money');
  // The queue of deliveries is counted up to 10,000.
  expectAtMost(await measure(() => worker.backlog.read()), 2 * BACKLOG, 'backlog');
});

describe('Schedules', () => {
  const { signal } = new AbortController();
  /** The statements of each Schedule's activities, or the reason why they are measured elsewhere. */
  const runs: Record<string, ((container: Container) => Promise<unknown>) | string> = {
    retentionScheduleId: ({ retention }) => retention.purge(signal, () => undefined),
    advisoryScheduleId: ({ advisories }) => advisories.sweep(),
    rateScheduleId: 'inserts one row',
    warrantyScheduleId: ({ warranties }) => warranties.list({ month: '2026-10', after: '', limit: 100 }),
    payoutScheduleId: payMonday,
  };
  const known = Object.keys({ ...schedules, ...payoutEngine }).filter((name) => name.endsWith('ScheduleId'));

  it('are all here', () => {
    expect(Object.keys(runs).sort()).toEqual(known.sort());
  });

  it('read a bounded number of rows', async () => {
    for (const [name, run] of Object.entries(runs)) {
      if (typeof run !== 'string') expectAtMost(await measure(() => run(worker)), 5_000, name);
    }
  });
});

it('reads a bounded number of rows in each turn of the timers of API processes', async () => {
  expect(Object.keys(TIMERS).sort()).toEqual(timedFiles());
  const { rows } = await market.owner.query<{ id: string }>(
    'SELECT invocation_id AS id FROM invocations LIMIT 200',
  );
  const calls = rows.map(({ id }) => id);
  for (const [name, timer] of Object.entries(TIMERS)) {
    if (typeof timer === 'string') continue;
    expectAtMost(await measure(() => timer.turn(market.container, calls)), timer.mostRows, name);
  }
});

describe('reads', () => {
  const reads = operations.filter(({ id, method }) => method === 'get' && LISTS[id] === undefined);

  it('are all here', () => {
    expect(Object.keys(READS).sort()).toEqual(reads.map(({ id }) => id).sort());
  });

  it('read a bounded number of rows', async () => {
    for (const { id, path, roles } of reads) {
      const mostRows = READS[id] ?? 0;
      if (typeof mostRows === 'string') continue;
      const get = async () => {
        const { cookie } = readers[readerOf(path, roles)];
        const response = await fetch(`${market.url}${pathOf(path, ids)}?${QUERIES[id] ?? ''}`, {
          headers: { cookie },
        });
        await response.arrayBuffer();
      };
      expectAtMost(await measure(get), mostRows, id);
    }
  });
});

describe('lists', () => {
  const lists = operations.filter((operation) => {
    const success = operation.responses[200] as { properties?: Record<string, unknown> } | null | undefined;
    return operation.method === 'get' && success?.properties?.['next_cursor'] !== undefined;
  });

  it('are all here', () => {
    expect(Object.keys(LISTS).sort()).toEqual(lists.map(({ id }) => id).sort());
  });

  it('read a bounded number of rows on each page', async () => {
    for (const { id, path, roles } of lists) {
      const { mostRows = PAGE, filters = [], filtered = FILTERED } = LISTS[id] ?? {};
      const who = readers[readerOf(path, roles)];
      const at = pathOf(path, ids);
      for (const filter of ['', ...filters]) {
        const statements = await measure(() => pagesOf(at, filter, who));
        expectAtMost(statements, filter === '' ? mostRows : Math.max(mostRows, filtered), `${id}?${filter}`);
      }
    }
  });

  interface Page {
    items: unknown[];
    next_cursor: string | null;
    total?: number;
  }

  async function pagesOf(path: string, filter: string, who: TestUser, most = 3): Promise<Page[]> {
    const pages: Page[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams(filter);
      if (cursor !== null) query.set('cursor', cursor);
      const response = await fetch(`${market.url}${path}?${query.toString()}`, {
        headers: { cookie: who.cookie },
      });
      const page = (await response.json()) as Page;
      expect({ path, filter, status: response.status, page }).toMatchObject({ status: 200 });
      pages.push(page);
      cursor = page.next_cursor;
    } while (cursor !== null && pages.length < most);
    return pages;
  }

  it('leave out the total of a long list, and find a rare call behind many others', async () => {
    const [first] = await pagesOf('/v1/invocations', '', buyer, 1);
    expect(first?.items).toHaveLength(20);
    expect(first).not.toHaveProperty('total');
    const { rows } = await market.owner.query<{ invocation_id: string }>(
      `UPDATE invocations SET surface = 'chat', agent_id = 'agt_rare_v1' WHERE invocation_id = (
         SELECT min(invocation_id) FROM invocations WHERE buyer_user_id = $1) RETURNING invocation_id`,
      [buyer.userId],
    );
    const pages = await pagesOf('/v1/invocations', 'agent_id=agt_rare_v1', buyer, 10);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ items }) => items)).toMatchObject(rows);
  });
});

it(`finds a rare call of an agent behind ${CALLS / 2} others, on the first page`, async () => {
  const { rows } = await market.owner.query<{ invocation_id: string }>(
    `UPDATE invocations SET status = 'disputed' WHERE invocation_id = (
       SELECT min(invocation_id) FROM invocations WHERE agent_id = $1) RETURNING invocation_id`,
    [LOADED_AGENT],
  );
  const path = `/v1/developer/agents/${LOADED_AGENT}/calls?status=disputed`;
  const response = await fetch(`${market.url}${path}`, { headers: { cookie: developer.cookie } });
  expect(await response.json()).toMatchObject({ items: rows, next_cursor: null });
});

it('reads the public figures of an agent from the roll-up', async () => {
  const path = `/v1/agents/${LOADED_AGENT}/figures`;
  const statements = await measure(async () =>
    expect((await fetch(`${market.url}${path}`)).status).toBe(200),
  );
  expectAtMost(statements, FILTERED, path);
});

it('reads the balance of a developer with tens of thousands of lots from sums by day', async () => {
  const read = async () => {
    const response = await fetch(`${market.url}/v1/billing/developer/balance`, {
      headers: { cookie: developer.cookie },
    });
    return (await response.json()) as { lifetime_earned_credits: number; matured_credits: number };
  };
  const { rows } = await market.owner.query<{ earned: string; matured: string }>(
    `SELECT sum(net_units) / 100 AS earned, sum(net_units) FILTER (WHERE matures_at <= now()) / 100 AS matured
     FROM earnings WHERE developer_user_id = $1`,
    [developer.userId],
  );
  expectAtMost(await measure(read), PAGE, 'balance');
  const balance = await read();
  expect(balance.lifetime_earned_credits).toBe(Number(rows[0]?.earned));
  expect(Math.abs(balance.matured_credits - Number(rows[0]?.matured))).toBeLessThanOrEqual(10);
});

it('reads new events for streams, and resumes one, without reading the older ones', async () => {
  const { eventStreams } = market.container;
  await market.owner.query(
    `INSERT INTO event_inbox (user_id, event_id, position)
     SELECT $1, event_id, event_position(now() - interval '1 hour') + row_number() OVER () FROM events LIMIT ${BACKLOG}`,
    [buyer.userId],
  );
  await market.owner.query('ANALYZE event_inbox');
  const gone = new AbortController();
  const { signal } = gone;
  const begin = () => eventStreams.follow(buyer.userId, { after: undefined, signal });
  expectAtMost(await measure(begin), 10, 'begin');
  expectAtMost(await measure(eventStreams.turn), 10, 'turn');
  const { events } = await eventStreams.follow(buyer.userId, { after: 1, signal });
  expectAtMost(await measure(() => events.next()), 1_000, 'resume');
  gone.abort();
  await events.return();
});

it('decides about a call, and reads usage, without reading the history', async () => {
  const item = { ...loadedCall(buyer.userId), max_cost_credits: 100, idempotency_key: 'loaded' };
  const accepted = await measure(() => acceptInvocations(market.container.pool, [item]));
  expectAtMost(accepted, 100, 'accept');
  const usage = await measure(() =>
    market.container.usage.usage({ agentId: LOADED_AGENT, userId: developer.userId }),
  );
  expectAtMost(usage, 500, 'usage');
});

it('counts calls in flight: young ones, long ones, and tasks that waited for their hold', async () => {
  const { pool } = market.container;
  const buyerUserId = `usr_${'5'.padStart(32, '0')}`;
  const accept = async (ageMs: number) => {
    const invocation_id = lowestIdAt('inv', Date.now() - ageMs).slice(0, 16) + newId('inv').slice(16);
    const item = { ...loadedCall(buyerUserId), invocation_id, max_in_flight_buyer: 4 };
    const [verdict] = await acceptInvocations(pool, [item]);
    return { invocation_id, outcome: verdict?.outcome };
  };
  const holdOf = (id: string) => holdAndPermit(pool, id, 60_000);
  const listed = async () =>
    (
      await market.owner.query<{ id: string }>(
        'SELECT invocation_id AS id FROM long_calls WHERE buyer_user_id = $1 ORDER BY 1',
        [buyerUserId],
      )
    ).rows.map(({ id }) => id);

  const old = [await accept(90_000), await accept(30_000)].map(({ invocation_id }) => invocation_id);
  for (const id of old) await holdOf(id);
  const { invocation_id: waiting } = await accept(20_000);
  await findLongCalls(pool);
  expect(await listed()).toEqual(old);
  await holdOf(waiting);
  expect(await listed()).toEqual([...old, waiting]);
  const { invocation_id: young } = await accept(0);
  await holdOf(young);
  expect((await accept(0)).outcome).toBe('concurrency_limited');

  const [first = ''] = old;
  const ended = { output_sha256: 'x', output_bytes: 1, tokens_in: 0, tokens_out: 0, duration_ms: 1 };
  const terms = {
    truncated_by: null,
    answer: null,
    answer_ttl_ms: 1,
    answer_quota: null,
    matures_after_ms: 1,
  };
  await settleInvocations(pool, [{ invocation_id: first, charged_units: 0, ...ended, ...terms }]);
  expect((await accept(0)).outcome).toBe('accepted');
  expect((await accept(0)).outcome).toBe('concurrency_limited');
  await findLongCalls(pool);
  expect(await listed()).toEqual([old[1], waiting]);
});

describe('after years', () => {
  const PAST_DAYS = 200;

  beforeAll(async () => {
    await market.owner.query(
      `SELECT partition_make(p, (now() - n * interval '1 month')::date)
         FROM unnest('{entries,transactions,earnings,invocations,holds}'::text[]) p, generate_series(4, 15) n`,
    );
  });

  it('reads lines of busy accounts from the newest months alone', async () => {
    const { pool } = market.container;
    for (const [userId, account] of [
      [buyer.userId, 'wallet'],
      [developer.userId, 'payable'],
    ] as const) {
      const filter = { userId, accounts: [account], limit: 20 };
      let cursor: string | undefined;
      const statements = await measure(async () => {
        cursor = (await listLines(pool, filter)).rows.at(-1)?.entryId;
      });
      expectAtMost(statements, PAGE, 'lines');
      expect(Math.max(...statements.map(({ tables }) => tables))).toBeLessThanOrEqual(5);
      const { rows } = await listLines(pool, { ...filter, beforeEntryId: cursor });
      const [all] = (
        await market.owner.query<{ entries: string[]; after: string }>(
          `SELECT (array_agg(entry_id ORDER BY entry_id DESC))[21:40] AS entries,
             (SELECT balance_units FROM account_balances b WHERE b.account_id = e.account_id)
               - sum(amount_units) FILTER (WHERE entry_id > $3::bigint) AS after
           FROM entries e WHERE account_id = (SELECT account_id FROM accounts WHERE user_id = $1 AND kind = $2)
           GROUP BY account_id`,
          [userId, account, rows[0]?.entryId],
        )
      ).rows;
      expect(rows.map(({ entryId }) => entryId)).toEqual(all?.entries);
      if (account === 'payable') expect(rows[0]?.balanceAfterUnits).toBe(Number(all?.after));
    }
  });

  it('reads a balance from sums, however many days the developer has earned', async () => {
    const days = 2_000;
    const id = `usr_${(150).toString(16).padStart(32, '0')}`;
    await market.owner.query(
      `INSERT INTO earning_days SELECT $1, current_date - n, 1, 100, 0, 100 FROM generate_series(100, $2 + 99) n
       ON CONFLICT DO NOTHING`,
      [id, days],
    );
    await market.owner.query(
      `INSERT INTO earning_totals VALUES ($1, $2, 0, $2) ON CONFLICT (developer_user_id)
       DO UPDATE SET open_units = earning_totals.open_units + $2, earned_units = earning_totals.earned_units + $2`,
      [id, days * 100],
    );
    // As the loops of the workers do each second. Small tables are read as a whole.
    await market.owner.query('SELECT ledger_roll_up(1000)');
    await market.owner.query('SELECT earning_days_roll_up(1000)');
    let units = 0;
    const read = async () => {
      units = (await readDeveloperBalance(market.container.pool, id, new Date())).maturedUnits;
    };
    expectAtMost(await measure(read), 50, 'balance');
    expect(units).toBe(days * 100);
    await market.owner.query(
      `INSERT INTO earning_deltas (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
       VALUES ($1, current_date - 2099, -1, -100, 0, 0), ($1, current_date - 2098, 1, 50, 0, 50), ($1, current_date, 1, 7, 0, 7)`,
      [id],
    );
    const { rows, total } = await listMaturity(market.container.pool, id, { limit: 2 });
    expect([total, rows.map((day) => day.units)]).toEqual([days, [150, 100]]);
    await market.owner.query('DELETE FROM earning_deltas WHERE developer_user_id = $1', [id]);
  });

  it('reads usage from the months of its window alone', async () => {
    const until = new Date();
    const since = new Date(until.getTime() - 7 * 86_400_000);
    const statements = await measure(() =>
      readDays(market.container.pool, { agentId: LOADED_AGENT, since, until }),
    );
    expectAtMost(statements, PAGE, 'usage by day');
    expect(Math.max(...statements.map(({ tables }) => tables))).toBeLessThanOrEqual(12);
  });

  it('finds a deposit by its reference', async () => {
    const find = () => readDeposit(market.container.pool, newId('bdp'));
    expectAtMost(await measure(find), 10, 'deposit');
  });

  describe('a month that was detached', () => {
    const past = new Date(Date.now() - PAST_DAYS * 86_400_000);
    const call = lowestIdAt('inv', past.getTime());
    const payout = lowestIdAt('pay', past.getTime() + 1);
    const month = past.toISOString().slice(0, 7);
    const answers = async () => {
      const get = async (path: string, { cookie }: TestUser) => {
        const response = await fetch(`${market.url}${path}`, { headers: { cookie } });
        // A receipt is signed anew when it is not stored, and a signature is never the same.
        const text = (await response.text()).replace(/"signature":"[^"]*"/, '"signature":"…"');
        return { path, status: response.status, text };
      };
      const until = new Date(past.getTime() + 1_000).toISOString();
      return [
        await get(`/v1/invocations/${call}`, buyer),
        await get(`/v1/invocations?until=${until}`, buyer),
        await get(`/v1/billing/developer/payouts/${payout}`, developer),
        await get(`/v1/operator/calls/${call}`, operator),
      ];
    };

    const place = { call, payout, at: past };
    beforeAll(() =>
      loadOldCall(market.owner, { ...place, buyerId: buyer.userId, developerId: developer.userId }),
    );

    it('is read as before', async () => {
      const before = await answers();
      expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(before[0]?.text).toContain('"signature":"…"');
      expect(before[1]?.text).toContain(call);
      expect(before[2]?.text).toContain(call);
      await market.owner.query(`DELETE FROM invocation_evidence WHERE invocation_id = $1`, [call]);
      for (const validating of [false, true])
        await market.owner.query('SELECT month_prepare($1, $2)', [`${month}-01`, validating]);
      await market.owner.query(`SELECT month_detach($1, repeat('a', 64))`, [`${month}-01`]);
      expect(
        (await market.owner.query('SELECT FROM invocations WHERE invocation_id = $1', [call])).rows,
      ).toEqual([]);
      expect(await answers()).toEqual(before);
    });

    it('accepts no dispute and no second call under its key', async () => {
      const dispute = await fetch(`${market.url}/v1/billing/disputes`, {
        method: 'POST',
        headers: { cookie: buyer.cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ invocation_id: call, reason: 'output_incorrect', description: 'too late' }),
      });
      expect(await dispute.json()).toMatchObject({ error: { code: 'invalid_state' } });
      const { rows } = await market.owner.query<{ earlier_id: string; outcome: string }>(
        `SELECT * FROM invocation_earlier($1, 'years-ago', $2, repeat('a', 64), NULL, NULL)`,
        [buyer.userId, LOADED_AGENT],
      );
      expect(rows).toEqual([{ earlier_id: call, outcome: 'replay' }]);
    });
  });
});
