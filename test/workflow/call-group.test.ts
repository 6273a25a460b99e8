/** Calls that arrive together share a workflow, which performs the steps that their process did not (ADR 0065). */
import { randomUUID } from 'node:crypto';
import { createEnrolment, MEMBERS } from '../../src/engine/enrolment';
import { newId, newTraceId } from '../../src/kit/ids/ids';
import type { CallEnding, CallGroupResult } from '../../src/domain/calls/call-group';
import { createCallFollower } from '../../src/services/calls/call-follower';
import { SEARCH_ATTRIBUTE_BYTES } from '../../src/runtime/temporal/limits';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { workflowOf, workflowsOf } from '../support/calls/enrolled';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  type InvokeReply,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { realTime } from '../support/waits';

let market: TestMarket;
let developer: TestUser;
let agent: TestAgent;

beforeAll(async () => {
  // The other order of enrolment has no groups.
  market = await startMarket({
    operations: false,
    env: { ENROLMENT: 'enrolled', OWN_WORKFLOWS_PER_SECOND: '1' },
  });
  developer = await register(market, 'developer');
});
afterAll(async () => {
  await expectWholeLedger(market);
  await market.stop();
});
beforeEach(async () => {
  agent = await startAgent();
});
afterEach(() => agent.stop());

const client = () => market.environment.client;

const putAgent = (credits = 5, timeoutMs = 20_000) =>
  putLive(market, developer.userId, agent.url, { credits, timeoutMs });

/** So many calls at once, all of one buyer. */
function callAtOnce(buyer: TestUser, agentId: string, count: number): Promise<InvokeReply>[] {
  return Array.from({ length: count }, (_, n) => invoke(market, buyer, agentId, { input: { text: `${n}` } }));
}

const idOf = ({ body }: InvokeReply) => body.invocation_id ?? '';

it('enrols each of many calls in exactly one workflow, with its steps, times and credits', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId } = await putAgent();
  const replies = await Promise.all(callAtOnce(buyer, agentId, 60));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const drivers = new Map<string, string>();
  for (const reply of replies) drivers.set(idOf(reply), await workflowOf(client(), idOf(reply)));
  expect(new Set(drivers.values()).size).toBeLessThan(20);
  for (const [id, driver] of drivers) expect(await workflowsOf(client(), id)).toEqual([driver]);
  const [group] = [...drivers.values()].filter((id) => id.startsWith('calls/'));
  const { calls } = (await client()
    .workflow.getHandle(group ?? '')
    .result()) as CallGroupResult;
  expect(calls.map(({ invocationId }) => drivers.get(invocationId))).toEqual(calls.map(() => group));
  const { currentDetails } = await client()
    .workflow.getHandle(group ?? '')
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  for (const { invocationId } of calls) {
    const line = currentDetails.split('\n').find((text) => text.includes(`\`${invocationId}\`: `)) ?? '';
    expect(line).toContain(`5 charged, \`invocation/${invocationId}/capture\``);
    expect(line).toMatch(
      /; accepted 20\d\d-[\d-]+T[\d:.]+Z, hold \+\d+ ms, forward \+\d+ ms, validate \+\d+ ms, settle \+\d+ ms$/,
    );
  }
  for (const call of calls) {
    expect(call).toMatchObject({ status: 'succeeded', creditsCharged: 5 });
    const {
      held = -1,
      forwarded = -1,
      validated = -1,
      settled = -1,
    } = (call as { stepsMs?: Record<string, number> }).stepsMs ?? {};
    expect([held, forwarded, validated, settled]).toEqual(
      [held, forwarded, validated, settled].sort((a, b) => a - b),
    );
    expect(held).toBeGreaterThanOrEqual(0);
  }
});

it.each([
  [2_048, 6],
  [SEARCH_ATTRIBUTE_BYTES, 2],
])(
  'accepts any number of calls at once, in groups that the engine accepts: %i bytes',
  async (attributeBytes, groups) => {
    const taskQueue = `nobody-${randomUUID()}`;
    const enrolment = createEnrolment({
      client,
      taskQueue,
      ownerQueue: taskQueue,
      eager: false,
      attributeBytes,
      ownPerSecond: 1,
      endingOf: () => undefined,
      onEnd: () => undefined,
      logger: market.container.logger,
    });
    const ids = Array.from({ length: 100 }, () => newId('inv'));
    const about = { agentId: 'agt_popular_v1', timeoutMs: 1_000, traceId: newTraceId(), priceCredits: 5 };
    for (const invocationId of ids) enrolment.add({ ...about, invocationId, buyerUserId: newId('usr') });
    const found: string[] = [];
    let workflows = 0;
    try {
      await eventually(async () => {
        found.length = 0;
        workflows = 0;
        for await (const { workflowId, typedSearchAttributes } of client().workflow.list({
          query: `TaskQueue = '${taskQueue}'`,
        })) {
          workflows += 1;
          found.push(...(typedSearchAttributes.get(MEMBERS) ?? [workflowId.replace('invocation/', '')]));
        }
        return ids.every((id) => found.includes(id));
      }, 20_000);
    } finally {
      await enrolment.stop(1_000);
    }
    expect(ids.filter((id) => found.indexOf(id) !== found.lastIndexOf(id))).toEqual([]);
    expect(enrolment.isBreakerOpen()).toBe(false);
    expect(enrolment.counts()).toMatchObject({ confirmed: workflows, failed: 0 });
    expect(workflows).toBeLessThanOrEqual(groups + 1);
  },
);

it('answers before a workflow exists, and gives a lone call a workflow of its own', async () => {
  await realTime(1_200, 'a second passes in which no workflow of its own is started');
  const buyer = await register(market, 'buyer', 10);
  const { agentId } = await putAgent();
  const reply = await invoke(market, buyer, agentId, { input: { text: 'alone' } });
  expect(reply.status).toBe(200);
  expect(await workflowOf(client(), idOf(reply))).toBe(`invocation/${idOf(reply)}`);
  const handle = client().workflow.getHandle(`invocation/${idOf(reply)}`);
  expect(await handle.result()).toEqual({ status: 'succeeded' });
});

it('gives a call that takes longer than a few seconds a workflow of its own', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  agent.behave({ kind: 'slow', ms: 6_000 });
  const { agentId } = await putAgent();
  const waiting = callAtOnce(buyer, agentId, 8);
  const replies = await Promise.all(waiting);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  for (const reply of replies) {
    const handle = client().workflow.getHandle(`invocation/${idOf(reply)}`);
    expect(await handle.result()).toEqual({ status: 'succeeded' });
  }
  expect(agent.deliveries).toHaveLength(8);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(96_000);
});

/** Calls that the agent answers when `answer` is called, and the group that they are in. */
async function heldUp(buyer: TestUser) {
  let answer = (): void => undefined;
  const until = new Promise<void>((resolve) => (answer = resolve));
  agent.behave({ kind: 'waits', until, then: { kind: 'echo' } });
  const { agentId } = await putAgent();
  const replies = callAtOnce(buyer, agentId, 8);
  await eventually(() => Promise.resolve(agent.deliveries.length === 8));
  const { rows } = await market.owner.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM invocations WHERE buyer_user_id = $1',
    [buyer.userId],
  );
  const drivers = await Promise.all(rows.map((row) => workflowOf(client(), row.invocation_id)));
  const group = drivers.find((id) => id.startsWith('calls/')) ?? 'no group';
  return { answer, replies, handle: client().workflow.getHandle(group) };
}

it('says how a call ended, with its steps and credits, when its process no longer remembers it', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId } = await putAgent();
  agent.behave({ kind: 'slow', ms: 50 });
  const reply = await invoke(market, buyer, agentId, { input: { text: 'long ago' } });
  const follow = createCallFollower({
    pool: market.container.pool,
    registry: market.container.registry,
    endingOf: () => undefined,
  });
  const [end] = await follow([idOf(reply)], 0);
  expect(end).toEqual({
    invocationId: idOf(reply),
    status: 'succeeded',
    creditsCharged: 5,
    stepsMs: { held: 0, forwarded: expect.any(Number) as number, settled: expect.any(Number) as number },
  });
  const { forwarded = -1, settled = -1 } = (end as CallEnding).stepsMs ?? {};
  expect(forwarded).toBeGreaterThanOrEqual(50);
  expect(settled).toBeGreaterThanOrEqual(forwarded);
});

it('refunds the calls of a group that an operator cancels, and no other', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { answer, replies, handle } = await heldUp(buyer);
  await handle.cancel();
  const { calls } = (await handle.result()) as CallGroupResult;
  answer();
  const refunded = new Set(
    calls.filter(({ status }) => status === 'failed').map((call) => call.invocationId),
  );
  const ended = await Promise.all(replies);
  expect(refunded.size).toBeGreaterThan(1);
  for (const reply of ended) {
    expect(reply.status).toBe(refunded.has(idOf(reply)) ? 503 : 200);
  }
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(100_000 - (8 - refunded.size) * 500);
});

it('leaves the calls of a group that is terminated to their process', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { answer, replies, handle } = await heldUp(buyer);
  await handle.terminate('by an operator');
  answer();
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(96_000);
});

it('has a workflow repeat the steps that failed with a fault', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId } = await putAgent();
  agent.behave({ kind: 'slow', ms: 500 });
  const replies = callAtOnce(buyer, agentId, 6);
  await eventually(() => Promise.resolve(agent.deliveries.length === 6));
  // Settling fails for longer than the process repeats it by itself.
  await market.owner.query('REVOKE EXECUTE ON FUNCTION invocation_settle FROM market_app');
  await realTime(2_500, 'the process stops repeating');
  await market.owner.query('GRANT EXECUTE ON FUNCTION invocation_settle TO market_app');
  const ended = await Promise.all(replies);
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
  for (const reply of ended) {
    const handle = client().workflow.getHandle(`invocation/${idOf(reply)}`);
    expect(await handle.result()).toEqual({ status: 'succeeded' });
  }
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(97_000);
});
