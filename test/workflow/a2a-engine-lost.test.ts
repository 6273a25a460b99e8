/** A task whose worker and the engine lose each other for longer than a heartbeat may take. */
import { randomUUID } from 'node:crypto';
import { createContainer, type Container } from '../../src/container';
import { createLogger } from '../../src/logger';
import { startOperations, type RunningOperations } from '../../src/workers/operations';
import { a2a } from '../support/protocols/a2a';
import { balance, eventually } from '../support/market';
import { startScene, type Scene } from '../support/scene';
import { startTcpProxy, type TcpProxy } from '../support/stack/tcp-proxy';
import { realTime } from '../support/waits';

const LOST_MS = 40_000;
/** An attempt learns by the answer to its next heartbeat that the engine has begun another one. */
const OLD_ATTEMPT_LEARNS_MS = 4_000;
/** temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED */
const STARTED = 2;

let scene: Scene;
let proxy: TcpProxy;
let container: Container;
let operations: RunningOperations;

beforeAll(async () => {
  scene = await startScene({ market: { operations: false }, agent: { credits: 10, timeoutMs: 120_000 } });
  const { config, temporal } = scene.market;
  proxy = await startTcpProxy(Number(new URL(`tcp://${temporal.address}`).port));
  const reached = { ...config, TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}` };
  container = createContainer(reached, createLogger('test', config.LOG_LEVEL));
  operations = startOperations(container);
});
afterAll(async () => {
  await operations.stop();
  await container.close();
  await proxy.close();
  await scene.stop();
});

async function send(): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'lost' } }] };
  const reply = await a2a<{ task: { id: string } }>(
    scene.market,
    scene.buyer,
    'POST',
    `${scene.agentId}/message:send`,
    { message, configuration: { returnImmediately: true } },
    { 'a2a-version': '1.0' },
  );
  return reply.body.task.id;
}

/** The step that calls the agent, as the engine sees it. */
async function stepOf(taskId: string): Promise<{ attempt: number; isRunning: boolean }> {
  const handle = scene.market.environment.client.workflow.getHandle(`invocation/${taskId}`);
  const step = (await handle.describe()).raw.pendingActivities?.[0];
  return { attempt: step?.attempt ?? 0, isRunning: Number(step?.state) === STARTED };
}

it('succeeds, and calls an agent that is not idempotent once', async () => {
  let answer: () => void = () => undefined;
  scene.agent.behave({ kind: 'waits', until: new Promise<void>((resolve) => (answer = resolve)) });
  const before = await balance(scene.market.owner, scene.buyer.userId, 'wallet');
  const taskId = await send();
  await scene.agent.waitForDeliveries(1, LOST_MS);

  proxy.mode('refuse');
  await eventually(async () => (await stepOf(taskId)).attempt > 1, LOST_MS);
  proxy.mode('forward');
  await eventually(async () => (await stepOf(taskId)).isRunning, LOST_MS);
  await realTime(OLD_ATTEMPT_LEARNS_MS, 'the old attempt learns of the new one');
  expect(scene.agent.deliveries[0]?.closedAt).toBeUndefined();
  answer();

  await eventually(async () => {
    const { body } = await a2a(scene.market, scene.buyer, 'GET', `${scene.agentId}/tasks/${taskId}`);
    return body.status === 'succeeded';
  }, LOST_MS);
  expect(scene.agent.countOf(taskId)).toBe(1);
  expect(await balance(scene.market.owner, scene.buyer.userId, 'wallet')).toBe(before - 1_000);
});
