/** Limits on calls in flight, so that no account can use all places (contract, "General"; security reference, T38). */
import { randomUUID } from 'node:crypto';
import { readCallFunds } from '../../../src/stores/calls/call-funds';
import { startHeldAgent } from '../../support/agents/held-agent';
import { startAgent } from '../../support/agents/test-agent';
import {
  expectWholeLedger,
  eventually,
  invoke,
  putLive,
  register,
  startMarket,
  type InvokeReply,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { a2a } from '../../support/protocols/a2a';

const PER_BUYER = 5;
const PER_AGENT = 8;

const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];

describe('limits on calls in flight', () => {
  let market: TestMarket;
  let developer: TestUser;

  beforeAll(async () => {
    market = await startMarket({
      env: {
        MAX_IN_FLIGHT_PER_BUYER: String(PER_BUYER),
        MAX_IN_FLIGHT_PER_AGENT: String(PER_AGENT),
        MAX_JOBS_PER_BUYER: '2',
        MAX_JOBS_PER_AGENT: '3',
      },
    });
    developer = await register(market, 'developer');
  });
  afterAll(async () => {
    await expectWholeLedger(market);
    await market.stop();
  });

  const callsOf = (buyer: TestUser, agentId: string, count: number) =>
    Array.from({ length: count }, (_, n) => invoke(market, buyer, agentId, { input: { text: 'slow', n } }));

  it('stop a buyer at the limit, exactly in a storm, and let others in', async () => {
    const [held, quick] = [await startHeldAgent(), await startAgent()];
    const [busy, other] = [await register(market, 'buyer', 500), await register(market, 'buyer', 500)];
    const { agentId } = await putLive(market, developer.userId, held.url);
    const { agentId: quickId } = await putLive(market, developer.userId, quick.url);
    const running = callsOf(busy, agentId, 40);
    await held.waitForDeliveries(PER_BUYER, 10_000);
    await eventually(async () => (await settledOf(running)) === 40 - PER_BUYER);
    const refused = await invoke(market, busy, quickId, { input: { text: 'one more' } });
    expect(outcomeOf(refused)).toEqual([429, 'concurrency_limited']);
    expect(refused.body.error?.retryable).toBe(true);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await invoke(market, other, quickId, { input: { text: 'hello' } })).status).toBe(200);
    held.release();
    const replies = await Promise.all(running);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(PER_BUYER);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(40 - PER_BUYER);
    expect(held.deliveries).toHaveLength(PER_BUYER);
    expect((await invoke(market, busy, quickId, { input: { text: 'again' } })).status).toBe(200);
    await Promise.all([held.stop(), quick.stop()]);
  });

  it('let a caller attach to and replay its own call when it is at the limit', async () => {
    const held = await startHeldAgent();
    const buyer = await register(market, 'buyer', 500);
    const { agentId } = await putLive(market, developer.userId, held.url);
    const body = { input: { text: 'keyed' }, idempotency_key: 'kept' };
    const running = [invoke(market, buyer, agentId, body), ...callsOf(buyer, agentId, PER_BUYER - 1)];
    await held.waitForDeliveries(PER_BUYER, 10_000);
    const attached = invoke(market, buyer, agentId, body);
    held.release();
    expect((await attached).status).toBe(200);
    expect((await attached).body).toEqual((await running[0])?.body);
    await Promise.all(running);
    await held.stop();
  });

  it('stop all buyers together at the limit of an agent', async () => {
    const [held, quick] = [await startHeldAgent(), await startAgent()];
    const buyers = [await register(market, 'buyer', 500), await register(market, 'buyer', 500)];
    const { agentId } = await putLive(market, developer.userId, held.url);
    const { agentId: quickId } = await putLive(market, developer.userId, quick.url);
    const running = buyers.flatMap((buyer) => callsOf(buyer, agentId, PER_AGENT / 2));
    await held.waitForDeliveries(PER_AGENT, 10_000);
    for (const buyer of buyers) {
      const refused = await invoke(market, buyer, agentId, { input: { text: 'one more' } });
      expect(outcomeOf(refused)).toEqual([429, 'concurrency_limited']);
      expect(refused.headers.has('retry-after')).toBe(true);
      expect((await invoke(market, buyer, quickId, { input: { text: 'elsewhere' } })).status).toBe(200);
    }
    held.release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(
      Array.from({ length: PER_AGENT }, () => 200),
    );
    await Promise.all([held.stop(), quick.stop()]);
  });

  it('count jobs apart from calls, and stop a buyer and an agent at their jobs', async () => {
    const [held, quick] = [await startHeldAgent(), await startAgent()];
    const [busy, other] = [await register(market, 'buyer', 500), await register(market, 'buyer', 500)];
    const { agentId } = await putLive(market, developer.userId, held.url, { timeoutMs: 60_000 });
    const { agentId: quickId } = await putLive(market, developer.userId, quick.url);
    const takesJobs = await putLive(market, developer.userId, quick.url, { jobs: { max_seconds: 60 } });
    try {
      const tasks = await Promise.all(Array.from({ length: PER_BUYER }, () => sendTask(busy, agentId)));
      await held.waitForDeliveries(PER_BUYER, 10_000);
      const call = (buyer: TestUser, id: string) => {
        const prefer = id === quickId ? '' : 'respond-async';
        return invoke(market, buyer, id, { input: { text: 'hello' } }, { prefer });
      };
      expect(outcomeOf(await call(busy, quickId))).toEqual([429, 'concurrency_limited']);

      await takeAsJobs(tasks.slice(0, 2), busy, takesJobs.agentId);
      expect((await call(busy, quickId)).status).toBe(200);
      // What decides on a call with a large body before the body is read.
      expect((await readCallFunds(market.owner, busy.userId, takesJobs.versionId)).inFlight).toBe(
        PER_BUYER - 2,
      );
      const refused = await call(busy, takesJobs.agentId);
      expect(outcomeOf(refused)).toEqual([429, 'concurrency_limited']);
      expect(refused.body.error?.message).toContain('jobs');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await call(other, takesJobs.agentId)).status).toBe(202);
      await takeAsJobs(tasks.slice(2, 3), busy, takesJobs.agentId);
      expect(outcomeOf(await call(other, takesJobs.agentId))).toEqual([429, 'concurrency_limited']);

      held.release();
      await eventually(async () => (await openJobs(busy)) === 0);
      expect((await call(busy, takesJobs.agentId)).status).toBe(202);
    } finally {
      held.release();
      await Promise.all([held.stop(), quick.stop()]);
    }
  });

  async function sendTask(buyer: TestUser, agentId: string): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'slow' } }] };
    const body = { message, configuration: { returnImmediately: true } };
    const reply = await a2a<{ task: { id: string } }>(
      market, buyer, 'POST', `${agentId}/message:send`, body, { 'a2a-version': '1.0' },
    ); // prettier-ignore
    return reply.body.task.id;
  }

  /** The tasks become jobs of this agent, as they do when it answers 202. */
  const takeAsJobs = (tasks: string[], buyer: TestUser, agentId: string) =>
    market.owner.query(
      `INSERT INTO jobs (invocation_id, buyer_user_id, agent_id, took_ms, ends_at, is_budgeted, heartbeat_ms)
       SELECT unnest($1::text[]), $2, $3, 1, now() + interval '1 minute', false, 60000`,
      [tasks, buyer.userId, agentId],
    );

  async function openJobs(buyer: TestUser): Promise<number> {
    const text = 'SELECT FROM jobs WHERE buyer_user_id = $1 AND ended_at IS NULL';
    return (await market.owner.query(text, [buyer.userId])).rows.length;
  }

  /** How many of these calls are answered already. */
  async function settledOf(calls: Promise<unknown>[]): Promise<number> {
    const open = Symbol('open');
    const seen = await Promise.all(calls.map((call) => Promise.race([call, Promise.resolve(open)])));
    return seen.filter((reply) => reply !== open).length;
  }
});

describe('shares of the places of a process', () => {
  const PLACES = 32;
  let market: TestMarket;
  let other: string;
  const held: Awaited<ReturnType<typeof startHeldAgent>>[] = [];

  beforeAll(async () => {
    market = await startMarket({ env: { MAX_IN_FLIGHT: String(PLACES), MAX_IN_FLIGHT_UNPAID: '4' } });
    const quick = await startAgent();
    const seller = await register(market, 'developer');
    other = (await putLive(market, seller.userId, quick.url, { credits: 1, freeTierCalls: 1 })).agentId;
  });
  afterEach(async () => {
    for (const agent of held.splice(0)) await agent.stop();
    await expectWholeLedger(market);
  });
  afterAll(() => market.stop());

  async function heldAgent(options: Parameters<typeof putLive>[3]): Promise<string> {
    const agent = await startHeldAgent();
    held.push(agent);
    const developer = await register(market, 'developer');
    const terms = { credits: 1, timeoutMs: 60_000, ...options };
    return (await putLive(market, developer.userId, agent.url, terms)).agentId;
  }

  const callsOf = (buyer: TestUser, agentId: string, count: number) =>
    Array.from({ length: count }, (_, n) => invoke(market, buyer, agentId, { input: { text: 'slow', n } }));

  /** Resolves with the refusals once all calls but so many have ended; the rest runs until its agent is released. */
  async function refusalsOf(calls: Promise<InvokeReply>[], running: number): Promise<InvokeReply[]> {
    const replies: InvokeReply[] = [];
    for (const call of calls) void call.then((reply) => replies.push(reply));
    await eventually(async () => replies.length >= calls.length - running, 20_000);
    return [...replies];
  }

  it('do not limit paid calls and free calls of others, however many free calls hang', async () => {
    const hanging = await heldAgent({ freeTierCalls: 1_000 });
    const poor = await Promise.all(Array.from({ length: 4 }, () => register(market, 'buyer')));
    const calls = poor.flatMap((buyer) => callsOf(buyer, hanging, PLACES / 2));
    const refused = await refusalsOf(calls, PLACES / 4);
    expect(new Set(refused.map((reply) => String(outcomeOf(reply))))).toEqual(
      new Set(['429,concurrency_limited']),
    );
    expect(refused.every(({ headers }) => headers.has('retry-after'))).toBe(true);
    expect(held[0]?.deliveries.length).toBeLessThan(PLACES / 4);
    const [paying, newcomer] = [await register(market, 'buyer', 100), await register(market, 'buyer')];
    for (const buyer of [paying, paying, newcomer])
      expect((await invoke(market, buyer, other, { input: { text: 'hello' } })).status).toBe(200);
    // Its wallet could pay, so a free call of the hanging agent itself needs no unpaid place.
    const backed = invoke(market, paying, hanging, { input: { text: 'backed' } });
    await held[0]?.waitForDeliveries((held[0]?.deliveries.length ?? 0) + 1);
    held[0]?.release();
    expect((await backed).status).toBe(200);
    expect((await Promise.all(calls)).filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  });

  it('bound the free calls of an account without credits in all processes', async () => {
    const hanging = await heldAgent({ freeTierCalls: 1_000 });
    const [poor, rich] = [await register(market, 'buyer'), await register(market, 'buyer', 100)];
    const calls = callsOf(poor, hanging, 8);
    expect(await refusalsOf(calls, 4)).toHaveLength(4);
    expect((await invoke(market, rich, other, { input: { text: 'hello' } })).status).toBe(200);
    held[0]?.release();
    expect((await Promise.all(calls)).filter(({ status }) => status === 200)).toHaveLength(4);
  });

  it('leave a third to the agents of others when paid calls of one developer hang', async () => {
    const hanging = await heldAgent({});
    const buyers = await Promise.all(Array.from({ length: 4 }, () => register(market, 'buyer', 100)));
    const calls = buyers.flatMap((buyer) => callsOf(buyer, hanging, PLACES / 2));
    const most = Math.ceil((PLACES * 2) / 3);
    const refused = await refusalsOf(calls, most);
    expect(refused.length).toBeGreaterThanOrEqual(calls.length - most);
    expect(new Set(refused.map((reply) => String(outcomeOf(reply))))).toEqual(
      new Set(['429,concurrency_limited']),
    );
    const victim = await register(market, 'buyer', 100);
    const replies = await Promise.all(callsOf(victim, other, 3));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    held[0]?.release();
    await Promise.all(calls);
  });

  it('let 64 callers wait for one call with their key', async () => {
    const hanging = await heldAgent({});
    const buyer = await register(market, 'buyer', 100);
    const body = { input: { text: 'keyed' }, idempotency_key: 'one' };
    const first = invoke(market, buyer, hanging, body);
    await held[0]?.waitForDeliveries(1);
    const others = Array.from({ length: 72 }, () => invoke(market, buyer, hanging, body));
    const refused = await refusalsOf(others, 64);
    expect(refused.map(outcomeOf)).toEqual(Array.from({ length: 8 }, () => [429, 'concurrency_limited']));
    held[0]?.release();
    expect((await first).status).toBe(200);
    expect((await Promise.all(others)).filter(({ status }) => status === 200)).toHaveLength(64);
    expect(held[0]?.deliveries).toHaveLength(1);
  });
});
