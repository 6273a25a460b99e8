import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { dispute, respond } from '../../support/disputes/disputes';
import {
  balance,
  eventually,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { checkLedger, formatReport } from '../../../src/services/ledger/ledger-check';
import { part } from '../../support/ledger/counts';
import { endedJob } from '../../support/jobs/jobs';
import { readLastMonth } from '../../../src/stores/operations/market-figures';

const OF_A_DAY = part(2_500, 10_000);

let market: TestMarket;
let developer: TestUser;
let buyer: TestUser;
let agent: TestAgent;

beforeAll(async () => {
  market = await startMarket({ env: { PUBLIC_READS: 'true' } });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 10_000);
  agent = await startAgent();
});
afterAll(async () => {
  await market.owner.query(`DELETE FROM invocations WHERE owner = 'made up'`);
  await recount();
  const report = await checkLedger(market.container.pool);
  await agent.stop();
  await market.stop();
  if (!report.ok) throw new Error(formatReport(report));
});

interface Figures {
  calls: number;
  succeeded: number;
  failed: number;
  disputed: number;
  success_rate: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  jobs: { count: number; p50_ms: number | null; p95_ms: number | null };
}
const NO_JOBS = { count: 0, p50_ms: null, p95_ms: null };
type Analytics = Figures & {
  since: string;
  until: string;
  days: (Figures & { date: string })[];
  errors: { code: string; calls: number }[];
  detail?: { loc: string[] }[];
};
interface Usage {
  agent_id: string;
  since: string;
  calls: number;
  succeeded: number;
  failed: number;
  gross_credits: number;
  developer_earnings_credits: number;
  platform_fee_credits: number;
  detail?: { loc: string[] }[];
}

async function get<T>(path: string, who: TestUser = developer): Promise<{ status: number; body: T }> {
  const response = await fetch(`${market.url}${path}`, { headers: { cookie: who.cookie } });
  return { status: response.status, body: (await response.json()) as T };
}
const usage = (agentId: string, query = '', who = developer) =>
  get<Usage>(`/v1/agents/${agentId}/usage${query}`, who);
const analytics = (agentId: string, query = '', who = developer) =>
  get<Analytics>(`/v1/agents/${agentId}/analytics${query}`, who);

const money = ({ gross_credits, developer_earnings_credits, platform_fee_credits }: Usage) => [
  gross_credits,
  developer_earnings_credits,
  platform_fee_credits,
];

/** Calls of an echo agent: `good` succeed, `bad` fail. */
async function mixture(agentId: string, good: number, bad: number): Promise<string[]> {
  agent.behave((delivery) =>
    delivery.body.includes('fail') ? { kind: 'status', status: 500 } : { kind: 'echo' },
  );
  const texts = [...Array.from({ length: good }, () => 'fine'), ...Array.from({ length: bad }, () => 'fail')];
  const replies = await Promise.all(
    texts.map((text, n) => invoke(market, buyer, agentId, { input: { text, n } })),
  );
  return replies.slice(0, good).map((reply) => reply.body.invocation_id ?? '');
}

describe('usage', () => {
  it('is the same before and after calls are rolled up', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const [first = ''] = await mixture(agentId, 4, 1);
    const { body: opened } = await dispute(market, buyer, first);
    await respond(market, developer, opened.dispute_id, 'accept');
    await eventually(async () => (await usage(agentId)).body.gross_credits === 21);
    const figures = async () => [(await usage(agentId)).body, (await analytics(agentId)).body.days.at(-1)];
    const before = await figures();
    await market.container.ledger.rollUp();
    expect(await figures()).toEqual(before);
    await market.container.agentFigures.rollUpUsage();
    await eventually(async () => (await waiting(agentId)) === 0);
    expect(await figures()).toEqual(before);
    expect(before[0]).toMatchObject({ calls: 5, succeeded: 3, failed: 1 });
  });

  it('sums calls and money; what a dispute took back counts for nothing', async () => {
    const before = await balance(market.owner, developer.userId, 'payable');
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const [first = '', second = ''] = await mixture(agentId, 5, 2);
    const all = await usage(agentId);
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({ agent_id: agentId, calls: 7, succeeded: 5, failed: 2 });
    expect(money(all.body)).toEqual([35, 33.95, 1.05]);

    expect((await dispute(market, buyer, second)).status).toBe(201);
    expect(money((await usage(agentId)).body)).toEqual([35, 33.95, 1.05]);
    const { body: opened } = await dispute(market, buyer, first);
    expect((await respond(market, developer, opened.dispute_id, 'accept')).status).toBe(200);
    await eventually(async () => (await usage(agentId)).body.gross_credits === 28);
    const call = (id: string) => get<Record<string, unknown>>(`/v1/invocations/${id}`, buyer);
    expect((await call(first)).body).toMatchObject({
      usage: { credits_charged: 7 },
      refunded_credits: 7,
      dispute: { dispute_id: opened.dispute_id, status: 'accepted' },
    });
    expect((await call(second)).body).toMatchObject({
      refunded_credits: 0,
      dispute: { status: 'open' },
      forwarded_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    const seen = await get<{ call: object }>(`/v1/billing/disputes/${opened.dispute_id}`, developer);
    expect(seen.body.call).toMatchObject({
      version: '1.0.0',
      surface: 'invoke',
      credits_charged: 7,
      schema_valid: true,
      input_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      output_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    const after = (await usage(agentId)).body;
    expect(after).toMatchObject({
      calls: 7,
      succeeded: 4,
      failed: 2,
      disputed: 1,
      agent_errors: 3,
      refunded_credits: 7,
    });
    expect(money(after)).toEqual([28, 27.16, 0.84]);
    expect((await balance(market.owner, developer.userId, 'payable')) - before).toBe(2_716);
    expect((await analytics(agentId)).body).toMatchObject({ calls: 7, disputed: 1, success_rate: 0.5714 });
  });

  it('counts a free call with nothing charged, and one in progress', async () => {
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 700 } });
    const { agentId } = await putLive(market, developer.userId, slow.url, { freeTierCalls: 1 });
    await invoke(market, buyer, agentId, { input: { text: 'free' } });
    const running = invoke(market, buyer, agentId, { input: { text: 'paid' } });
    await slow.waitForDeliveries(2);
    const { body } = await usage(agentId);
    expect(body).toMatchObject({ calls: 2, succeeded: 1, failed: 0 });
    expect(money(body)).toEqual([0, 0, 0]);
    await running;
    expect(money((await usage(agentId)).body)).toEqual([10, 9.7, 0.3]);
    await slow.stop();
  });

  it('starts at the given time, to the millisecond, in any zone', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    await addCalls(agentId, 1, { day: '2026-03-01T12:00:00.501Z', status: 'succeeded' });
    await addCalls(agentId, 1, { day: '2026-03-01T12:00:00.502Z', status: 'succeeded' });
    await recount();
    await mixture(agentId, 1, 0);
    const now = new Date();
    const soon = new Date(now.getTime() + 60_000).toISOString();
    expect((await usage(agentId, `?since=${soon}`)).body).toMatchObject({ calls: 0, since: soon });
    expect((await usage(agentId, '?since=2026-03-01T12:00:00.502Z')).body.calls).toBe(2);
    expect((await usage(agentId, '?since=2026-03-01T17:30:00.502%2B05:30')).body).toMatchObject({
      calls: 2,
      since: '2026-03-01T12:00:00.502Z',
    });
    expect((await usage(agentId, '?since=2026-03-01')).body.calls).toBe(3);
  });

  it.each([
    'infinity',
    '-infinity',
    'now',
    'epoch',
    '0',
    '1700000000',
    '',
    '2026-02-30',
    '2026-11-02 10:00:00Z',
    '2026-11-02T25:00Z',
    '%00',
    "'; DROP TABLE users",
  ])('refuses since=%s with 422', async (since) => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    for (const path of ['usage', 'analytics']) {
      const { status, body } = await get<Usage>(`/v1/agents/${agentId}/${path}?since=${since}`);
      expect({ status, loc: body.detail?.[0]?.loc }).toEqual({ status: 422, loc: ['query', 'since'] });
    }
  });

  it('lists calls one by one with their reasons, without their buyers', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    await mixture(agentId, 1, 2);
    const calls = (query: string, who = developer) =>
      get<{ items: Record<string, unknown>[]; next_cursor: string | null; total: number }>(
        `/v1/developer/agents/${agentId}/calls${query}`,
        who,
      );
    const failed = await calls('?status=failed&limit=1');
    expect(failed.body).toMatchObject({ total: 2, next_cursor: expect.any(String) as string });
    expect(failed.body.items[0]).toMatchObject({
      status: 'failed',
      error: { code: 'agent_error', retryable: expect.any(Boolean) as boolean },
      agent_error: true,
      schema_valid: null,
      input_bytes: expect.any(Number) as number,
      input_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      output_sha256: null,
      credits_charged: 0,
    });
    const next = await calls(`?status=failed&limit=1&cursor=${failed.body.next_cursor}`);
    expect(next.body).toMatchObject({ next_cursor: null, items: [{ status: 'failed' }] });
    expect(next.body.items[0]?.['invocation_id']).not.toBe(failed.body.items[0]?.['invocation_id']);
    const all = await calls('');
    expect(all.body.items).toHaveLength(3);
    expect(JSON.stringify(all.body)).not.toContain(buyer.userId);
    expect((await calls('?status=disputed')).body).toEqual({ items: [], next_cursor: null, total: 0 });
    expect((await calls('', buyer)).status).toBe(403);
    const other = await register(market, 'developer');
    expect((await calls('', other)).status).toBe(404);
  });

  it('is visible to the owner alone', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const rival = await register(market, 'developer');
    const expectBoth = async (status: number) => {
      for (const who of [rival, buyer])
        for (const read of [usage, analytics]) expect((await read(agentId, '', who)).status).toBe(status);
    };
    await expectBoth(403);
    await market.owner.query("UPDATE agents SET status = 'suspended' WHERE agent_id = $1", [agentId]);
    await expectBoth(404);
    expect((await usage('agt_nobody_v1')).status).toBe(404);
    expect((await fetch(`${market.url}/v1/agents/${agentId}/usage`)).status).toBe(401);
  });
});

describe('analytics', () => {
  it('shows counts, success rate and latency per UTC day, and why calls failed', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    await addCalls(agentId, 20, { day: '2026-05-01T23:30:00Z', status: 'succeeded' });
    await addCalls(agentId, 1, { day: '2026-05-03T00:00:00Z', status: 'failed', code: 'agent_timeout' });
    await addCalls(agentId, 2, { day: '2026-05-03T00:00:00Z', status: 'failed', code: 'agent_error' });
    await addCalls(agentId, 1, { day: '2026-05-03T00:00:00Z', status: 'succeeded' });
    await recount();
    const { body } = await analytics(agentId, '?since=2026-05-01&until=2026-05-04');
    expect(
      body.days.map((day) => [
        day.date,
        day.calls,
        day.succeeded,
        day.failed,
        day.success_rate,
        day.p50_ms,
        day.p95_ms,
      ]),
    ).toEqual([
      ['2026-05-01', 20, 20, 0, 1, 10, 19],
      ['2026-05-02', 0, 0, 0, null, null, null],
      ['2026-05-03', 4, 1, 3, 0.25, 1, 1],
    ]);
    expect(body).toMatchObject({
      calls: 24,
      succeeded: 21,
      failed: 3,
      success_rate: 0.875,
      p50_ms: 10,
      p95_ms: 19,
    });
    expect(body.errors).toEqual([
      { code: 'agent_error', calls: 2 },
      { code: 'agent_timeout', calls: 1 },
    ]);
  });

  it('shows everyone the figures of 30 days, and the developer the earnings of each day', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const [last, first, before] = [dayOf(1), dayOf(29), dayOf(30)];
    await addCalls(agentId, 20, { day: `${last}T12:00:00Z`, status: 'succeeded' });
    await addCalls(agentId, 5, { day: `${last}T12:00:00Z`, status: 'failed', code: 'agent_error' });
    await addCalls(agentId, 1, { day: `${first}T00:00:00Z`, status: 'succeeded' });
    await addCalls(agentId, 9, { day: `${before}T23:59:59Z`, status: 'failed', code: 'agent_error' });
    await recount();
    const answer = await fetch(`${market.url}/v1/agents/${agentId}/figures`);
    const { days } = (await answer.json()) as { days: { date: string; calls: number }[] };
    expect(days).toHaveLength(30);
    expect(days.filter(({ calls }) => calls > 0)).toEqual([
      // A few buyers prove no rate (docs/explanation/figures.md).
      { date: first, calls: 1, success_rate: null, p50_ms: null, p95_ms: null, jobs: NO_JOBS },
      { date: last, calls: 21, success_rate: null, p50_ms: null, p95_ms: null, jobs: NO_JOBS },
    ]);
    expect(days[0]?.date).toBe(first);
    expect((await fetch(`${market.url}/v1/agents/agt_nobody_v1/figures`)).status).toBe(404);

    await mixture(agentId, 2, 1);
    const own = (await analytics(agentId)).body.days as unknown as { developer_earnings_credits: number }[];
    expect(own.at(-1)?.developer_earnings_credits).toBe(19.4);
  });

  it('keeps the durations of jobs apart from those of calls, before and after each roll-up', async () => {
    const jobs = { max_seconds: 86_400 };
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7, jobs });
    await mixture(agentId, 3, 0);
    agent.behave({ kind: 'answer', status: 202, output: {} });
    const job = (hours: number) => endedJob(market, buyer, agentId, hours);
    const [free, paid] = [await job(20), await job(2)];
    const { body: call } = await get<{ usage: { duration_ms: number } }>(`/v1/invocations/${paid}`, buyer);
    expect(call.usage.duration_ms).toBeGreaterThanOrEqual(2 * 3_600_000);
    const today = new Date().toISOString().slice(0, 10);
    const publicly = async () => {
      const answer = await fetch(`${market.url}/v1/agents/${agentId}/figures`);
      return ((await answer.json()) as { days: Figures[] }).days.at(-1);
    };
    const read = async () => {
      const { body } = await analytics(agentId);
      const { body: part } = await analytics(agentId, `?since=${today}T00:00:00.001Z`);
      return [body, body.days.at(-1), part];
    };
    const near = (hours: number) => expect.closeTo(hours * 3_600_000, hours > 10 ? -7 : -6) as number;
    const expected = { calls: 5, succeeded: 5, jobs: { count: 2, p50_ms: near(2), p95_ms: near(20) } };
    const isApart = async () => {
      for (const figures of await read()) {
        expect(figures).toMatchObject(expected);
        expect(figures?.p95_ms).toBeLessThan(10_000);
      }
    };
    await isApart();
    await market.container.ledger.rollUp();
    await isApart();
    await market.container.agentFigures.rollUpUsage();
    await eventually(async () => (await waiting(agentId)) === 0);
    await isApart();
    const inMarket = async () => (await readLastMonth(market.container.pool, Date.now())).sums.jobs.count;
    expect(await inMarket()).toBe(2);
    await recount();
    await isApart();
    expect(await inMarket()).toBe(2);
    await market.container.agentFigures.refresh();
    const { body: listing } = await get<{ stats: Figures }>(`/v1/listings/${agentId}`, buyer);
    // One buyer, of whom the first job of the day counts; the free one does not.
    expect(listing.stats).toMatchObject({ p50_ms: null, jobs: { count: 1, p50_ms: null } });
    expect((await publicly())?.jobs).toEqual({ count: 1, p50_ms: null, p95_ms: null });
    expect((await dispute(market, buyer, free)).status).toBe(201);
  });

  it('counts against the agent only what is its own fault', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const day = '2026-05-01T10:00:00Z';
    await addCalls(agentId, 3, { day, status: 'succeeded' });
    await addCalls(agentId, 1, { day, status: 'failed', code: 'agent_error' });
    for (const code of [
      'engine_unavailable',
      'internal_error',
      'client_closed',
      'max_cost_exceeded',
      'canceled',
    ]) {
      await addCalls(agentId, 2, { day, status: 'failed', code });
    }
    await recount();
    const { body } = await analytics(agentId, '?since=2026-05-01&until=2026-05-02');
    expect(body).toMatchObject({ calls: 14, failed: 11, agent_errors: 1, success_rate: 0.75 });
    expect(body.days[0]).toMatchObject({ failed: 11, agent_errors: 1, success_rate: 0.75 });
    expect((await usage(agentId, '?since=2026-05-01')).body).toMatchObject({ failed: 11, agent_errors: 1 });
  });

  it('counts no input that the agent refuses as its error, in parts of days, before and after calls are rolled up', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    agent.behave(({ body }) => {
      const [, status] = /"text":"status (\d+)"/.exec(body.toString()) ?? [];
      return status === undefined ? { kind: 'echo' } : { kind: 'status', status: Number(status) };
    });
    for (const status of [400, 404, 422, 401, 429, 500])
      await invoke(market, buyer, agentId, { input: { text: `status ${status}` } });
    await invoke(market, buyer, agentId, { input: { text: 'fine' } });
    const expected = { calls: 7, failed: 6, agent_errors: 3 };
    const errors = [{ code: 'agent_error', calls: 6 }];
    const figures = async () => {
      const { since } = (await usage(agentId)).body;
      // A window that begins within the day reads the calls, and one of whole days what is counted.
      return [
        (await usage(agentId)).body,
        (await usage(agentId, `?since=${since}`)).body,
        (await analytics(agentId, `?since=${since}`)).body,
        (await analytics(agentId)).body,
      ];
    };
    await eventually(async () =>
      (await figures()).every((each) => 'agent_errors' in each && each.agent_errors === 3),
    );
    for (const each of await figures()) expect(each).toMatchObject(expected);
    await market.container.agentFigures.rollUpUsage();
    await eventually(async () => (await waiting(agentId)) === 0);
    for (const each of await figures()) expect(each).toMatchObject(expected);
    await recount();
    for (const each of await figures()) expect(each).toMatchObject(expected);
    expect((await analytics(agentId)).body).toMatchObject({ success_rate: 0.25, errors });
    const { body } = await get<{
      items: { agent_error: boolean; failure: { http_status: number } | null }[];
    }>(`/v1/developer/agents/${agentId}/calls?status=failed`);
    const faults = body.items.map(({ agent_error: counts, failure }) => [failure?.http_status, counts]);
    expect(faults.sort()).toEqual([[400, false], [401, true], [404, false], [422, false], [429, true], [500, true]]); // prettier-ignore
  });

  it('covers 30 days unless asked, and at most 366', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const { body } = await analytics(agentId);
    expect(Date.parse(body.until) - Date.parse(body.since)).toBe(30 * 86_400_000);
    expect(body.days.length).toBe(31);
    expect((await analytics(agentId, '?since=2025-01-01&until=2026-01-02')).status).toBe(200);
    expect((await analytics(agentId, '?since=2025-01-01&until=2026-01-03')).status).toBe(422);
    expect((await analytics(agentId, '?since=2026-01-02&until=2026-01-02')).status).toBe(422);
    expect((await analytics(agentId, '?until=infinity')).body.detail?.[0]?.loc).toEqual(['query', 'until']);
  });

  it(`answers in well under a second for an agent with ${10 * OF_A_DAY} calls`, async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const other = await putLive(market, developer.userId, agent.url);
    for (let day = 1; day <= 10; day += 1) {
      const at = `2026-06-${String(day).padStart(2, '0')}T00:00:00Z`;
      await addCalls(agentId, OF_A_DAY, { day: at, status: 'succeeded' });
      await addCalls(other.agentId, OF_A_DAY / 5, { day: at, status: 'succeeded' });
    }
    await recount();
    await market.owner.query('ANALYZE invocations');
    const timed = async <T>(work: () => Promise<T>) => {
      const start = performance.now();
      const result = await work();
      return { result, ms: performance.now() - start };
    };
    const sums = await timed(() => usage(agentId, '?since=2026-01-01'));
    const days = await timed(() => analytics(agentId, '?since=2026-05-15&until=2026-06-30'));
    const narrow = await timed(() => usage(agentId, '?since=2026-06-10'));
    expect(sums.result.body).toMatchObject({ calls: 10 * OF_A_DAY, gross_credits: 100 * OF_A_DAY });
    expect(days.result.body.days.filter((day) => day.calls === OF_A_DAY)).toHaveLength(10);
    expect(narrow.result.body.calls).toBe(OF_A_DAY);
    process.stdout.write(
      `usage ${sums.ms.toFixed(0)} ms, analytics ${days.ms.toFixed(0)} ms, one day ${narrow.ms.toFixed(0)} ms\n`,
    );
    expect(Math.max(sums.ms, days.ms, narrow.ms)).toBeLessThan(1_000);
  }, 120_000);
});

/** Ended calls that take 1, 2, 3 … ms, all accepted at one time; rows only, without money. */
async function addCalls(
  agentId: string,
  count: number,
  { day, status, code }: { day: string; status: 'succeeded' | 'failed'; code?: string },
): Promise<void> {
  await market.owner.query(
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
       status, price_units, input_sha256, owner, trace_id, charged_units, duration_ms, error_code, invoked_at, settled_at)
     SELECT 'inv_' || lpad(to_hex((extract(epoch FROM $5::timestamptz) * 1000)::bigint), 12, '0')
              || substr(md5(random()::text || n), 1, 20),
       $2, $3, $1, 'agv_x', '1.0.0', 'invoke', $6, 1000, 'x', 'made up', 'x', CASE $6 WHEN 'succeeded' THEN 1000 ELSE 0 END, n,
       $7, $5, $5
     FROM generate_series(1, $4::integer) n`,
    [agentId, buyer.userId, developer.userId, count, day, status, code ?? null],
  );
}

/** Counts usage from the rows, past the trigger that follows calls. */
const recount = () => market.owner.query('SELECT usage_recount()');

/** How many changes of an agent's usage are not rolled up. */
async function waiting(agentId: string): Promise<number> {
  const { rows } = await market.owner.query<{ n: string }>(
    'SELECT count(*) AS n FROM usage_changes WHERE agent_id = $1',
    [agentId],
  );
  return Number(rows[0]?.n);
}
