/** Tasks that hang occupy places of tasks only, and of those a share (ADR 0204). */
import { randomUUID } from 'node:crypto';
import { a2a, type PolledTask } from '../../support/protocols/a2a';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { few } from '../../support/ledger/counts';
import { startHookServer, type HookServer } from '../../support/webhooks/hook-server';
import {
  eventually,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { registerDeveloper, request } from '../../support/catalogue/publishing';
import { registerLive, registration } from '../../support/catalogue/registrations';
import { startReceiver, toldTimes } from '../../support/webhooks/webhooks';

jest.setTimeout(180_000);

/** Places of the worker. */
const PLACES = few(16, 256);
const HANGING = few(40, 1_000);
const ACCOUNTS = 4;

let market: TestMarket;
let hook: HookServer;
let hanging: TestAgent;
let quick: TestAgent;
let release = (): void => undefined;

beforeAll(async () => {
  const until = new Promise<void>((resolve) => (release = resolve));
  [market, hook, hanging, quick] = await Promise.all([
    startMarket({ env: { MAX_IN_FLIGHT: String(PLACES), MAX_IN_FLIGHT_UNPAID: '256' } }),
    startHookServer(),
    startAgent({ behaviour: { kind: 'waits', until }, keepBodies: false }),
    startAgent(),
  ]);
});
afterAll(async () => {
  release();
  await Promise.all([hanging.stop(), quick.stop(), hook.stop()]);
  await expectWholeLedger(market);
  await market.stop();
});

/** Sends a task and returns its id. */
async function send(buyer: TestUser, agentId: string, text: string): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text } }] };
  const body = { message, configuration: { returnImmediately: true } };
  const path = `${agentId}/message:send`;
  const reply = await a2a<{ task: { id: string } }>(market, buyer, 'POST', path, body, {
    'a2a-version': '1.0',
  });
  expect(reply.status).toBe(200);
  return reply.body.task.id;
}
const poll = async (buyer: TestUser, agentId: string, taskId: string): Promise<PolledTask> =>
  (await a2a(market, buyer, 'GET', `${agentId}/tasks/${taskId}`)).body;

async function hangingTasks(buyers: TestUser[], options: Parameters<typeof putLive>[3]) {
  const developer = await register(market, 'developer');
  const terms = { credits: 1, a2aInvocable: true, timeoutMs: 120_000, ...options };
  const { agentId } = await putLive(market, developer.userId, hanging.url, terms);
  return Promise.all(
    Array.from({ length: HANGING }, async (_, n) => {
      const buyer = buyers[n % buyers.length] as TestUser;
      return { buyer, agentId, taskId: await send(buyer, agentId, `hangs ${n}`) };
    }),
  );
}

/** An ordinary tenant's day: a task, a test event of a webhook, a publication. Each is done within seconds. */
async function expectPromptWork(): Promise<void> {
  const developer = await registerDeveloper(market);
  const [buyer, newcomer] = [await register(market, 'buyer', 100), await register(market, 'buyer')];
  const terms = { credits: 1, freeTierCalls: 1, a2aInvocable: true };
  const { agentId } = await putLive(market, developer.userId, quick.url, terms);
  const task = async (who: TestUser) => {
    const taskId = await send(who, agentId, 'hello');
    await eventually(async () => (await poll(who, agentId, taskId)).status === 'succeeded', 20_000);
  };
  const event = async () => {
    const receiver = await startReceiver(market, developer, hook, { types: ['invocation.succeeded'] });
    await request(market, developer, 'POST', `/v1/webhooks/${receiver.webhook_id}/test`);
    await toldTimes(receiver, 1, 20_000);
  };
  await Promise.all([
    task(buyer),
    task(buyer),
    task(newcomer),
    event(),
    registerLive(market, developer, registration(quick.url)),
  ]);
}

it('does not delay webhooks, publications and tasks of others while tasks of unpaid accounts hang', async () => {
  const poor = await Promise.all(Array.from({ length: ACCOUNTS }, () => register(market, 'buyer')));
  await hangingTasks(poor, { freeTierCalls: 10_000 });
  await hanging.waitForDeliveries(2, 20_000);
  await expectPromptWork();
  expect(hanging.deliveries.length).toBeLessThanOrEqual(PLACES / 4);
});

it('does not delay them while paid tasks of one developer hang, and carries out the waiting ones', async () => {
  const before = hanging.deliveries.length;
  const rich = await Promise.all(Array.from({ length: ACCOUNTS }, () => register(market, 'buyer', 1_000)));
  const tasks = await hangingTasks(rich, {});
  await hanging.waitForDeliveries(before + 4, 20_000);
  await expectPromptWork();
  expect(hanging.deliveries.length - before).toBeLessThan(PLACES);
  release();
  for (const { buyer, agentId, taskId } of tasks)
    await eventually(async () => (await poll(buyer, agentId, taskId)).status === 'succeeded', 60_000);
});
