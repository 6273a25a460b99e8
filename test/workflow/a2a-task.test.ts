/** Tasks as operators see them in Temporal, and what becomes of them when parts of the service come and go. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createContainer } from '../../src/container';
import { createTaskEngine } from '../../src/engine/tasks';
import { createLogger } from '../../src/logger';
import { prepareInput } from '../../src/api/bodies/prepares';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { startOperations } from '../../src/workers/operations';
import { a2a, type A2aReply, type PolledTask } from '../support/protocols/a2a';
import { balance, eventually, expectWholeLedger, putLive } from '../support/market';
import { startScene, type Scene } from '../support/scene';
import { deleteWorkflow } from '../support/stack/temporal';
import { realTime } from '../support/waits';

const CANARY = 'CANARY-5d1e';

let scene: Scene;
/** Its worker is started and stopped by the tests. */
beforeAll(async () => {
  scene = await startScene({ market: { operations: false }, agent: { credits: 10, timeoutMs: 20_000 } });
});
afterAll(() => scene.stop());
beforeEach(() => {
  scene.agent.forget();
  scene.agent.behave({ kind: 'echo' });
});

function startWorker() {
  const { config } = scene.market;
  const container = createContainer(config, createLogger('test', config.LOG_LEVEL));
  const operations = startOperations(container);
  return {
    async stop() {
      await operations.stop();
      await container.close();
    },
  };
}

async function withWorker<T>(work: () => Promise<T>): Promise<T> {
  const worker = startWorker();
  try {
    return await work();
  } finally {
    await worker.stop();
  }
}

async function send(agentId = scene.agentId): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: CANARY } }] };
  const body = { message, configuration: { returnImmediately: true } };
  const headers = { 'a2a-version': '1.0' };
  const reply = await a2a<{ task: { id: string } }>(
    scene.market,
    scene.buyer,
    'POST',
    `${agentId}/message:send`,
    body,
    headers,
  );
  return reply.body.task.id;
}

const poll = (taskId: string, agentId = scene.agentId): Promise<A2aReply<PolledTask>> =>
  a2a(scene.market, scene.buyer, 'GET', `${agentId}/tasks/${taskId}`);

async function untilStatus(taskId: string, status: string, agentId = scene.agentId): Promise<void> {
  await eventually(async () => (await poll(taskId, agentId)).body.status === status, 30_000);
}

const temporal = () => scene.market.environment.client;

async function historyOf(taskId: string) {
  const handle = temporal().workflow.getHandle(`invocation/${taskId}`);
  await handle.result();
  return handle.fetchHistory();
}

function readable(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value === null || typeof value !== 'object') return String(value);
  return Object.values(value).map(readable).join('\n');
}

/** The names of the activities of a task, in their order. */
const activitiesOf = ({ events }: Awaited<ReturnType<typeof historyOf>>): string[] =>
  (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);

it('shows a task without its body, step by step, and replays it', async () => {
  const history = await withWorker(async () => historyOf(await send()));
  const text = readable(history);
  for (const secret of [CANARY, scene.agent.url, '127.77.0', scene.buyer.cookie])
    expect(text).not.toContain(secret);
  expect(activitiesOf(history)).toEqual(['holdCredits', 'forwardCall', 'validateOutput', 'settle']);
  const codePath = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
  await Worker.runReplayHistory({ workflowBundle: { codePath } }, history);
});

it('shows where a task failed, and refunds it', async () => {
  scene.agent.behave({ kind: 'wrong_shape' });
  const before = await balance(scene.market.owner, scene.buyer.userId, 'wallet');
  const history = await withWorker(async () => historyOf(await send()));
  expect(activitiesOf(history)).toEqual(['holdCredits', 'forwardCall', 'validateOutput', 'refund']);
  expect(await balance(scene.market.owner, scene.buyer.userId, 'wallet')).toBe(before);
});

it('refunds a task that an operator cancels in the engine, and closes the connection to the agent', async () => {
  scene.agent.behave({ kind: 'hangs' });
  const before = await balance(scene.market.owner, scene.buyer.userId, 'wallet');
  await withWorker(async () => {
    const taskId = await send();
    await scene.agent.waitForDeliveries(1, 15_000);
    await temporal().workflow.getHandle(`invocation/${taskId}`).cancel();
    await untilStatus(taskId, 'canceled');
    await eventually(async () => scene.agent.deliveries[0]?.closedAt !== undefined, 10_000);
  });
  expect(await balance(scene.market.owner, scene.buyer.userId, 'wallet')).toBe(before);
});

/** Submits a task to a process whose connection to the engine is that of `client`. */
async function submitBy(client: () => Client | undefined): Promise<string> {
  const { container, config } = scene.market;
  const engine = createTaskEngine({
    client,
    taskQueue: `${config.TASK_QUEUE_PREFIX}operations`,
    tasks: container.a2aTasks,
    starts: container.taskStarts,
    logger: container.logger,
  });
  const { taskId } = await engine.submit({
    callerUserId: scene.buyer.userId,
    agentId: scene.agentId,
    contextId: null,
    message: null,
    push: null,
    call: {
      buyerUserId: scene.buyer.userId,
      keepsBodies: false,
      keyId: null,
      agentId: scene.agentId,
      surface: 'a2a',
      input: prepareInput({ text: 'later' }),
      maxCostCredits: null,
      ceilingCredits: null,
      idempotencyKey: null,
      traceId: '0'.repeat(32),
      hops: 0,
    },
  });
  return taskId;
}

it('starts a task again in the process that accepted it, when the engine did not confirm its start', async () => {
  let asked = 0;
  const taskId = await submitBy(() => ((asked += 1) > 2 ? temporal() : undefined));
  // No worker runs, so nothing else starts it.
  const started = () =>
    temporal()
      .workflow.getHandle(`invocation/${taskId}`)
      .describe()
      .then(
        () => true,
        () => false,
      );
  expect(await started()).toBe(false);
  await eventually(started, 15_000);
  await withWorker(() => untilStatus(taskId, 'succeeded'));
  expect(scene.agent.countOf(taskId)).toBe(1);
});

it('accepts a task while the engine is away, and the worker starts it later', async () => {
  const taskId = await submitBy(() => undefined);
  expect((await poll(taskId)).body.status).toBe('accepted');
  await withWorker(() => untilStatus(taskId, 'succeeded'));
  expect((await poll(taskId)).body.output).toEqual({ text: 'later' });
});

it('waits for a worker for an hour, and then gives the task up', async () => {
  const { owner, container } = scene.market;
  const taskId = await send();
  const age = async (minutes: number) => {
    for (const table of ['invocations', 'pending_calls'])
      await owner.query(
        `UPDATE ${table} SET invoked_at = now() - $2 * interval '1 minute' WHERE invocation_id = $1`,
        [taskId, minutes],
      );
  };
  await age(55);
  await container.sweep();
  expect((await poll(taskId)).body.status).toBe('accepted');
  await age(61);
  await container.sweep();
  expect((await poll(taskId)).body).toMatchObject({
    status: 'failed',
    error: { code: 'engine_unavailable' },
  });
  // its workflow finds that nothing is to be done
  await withWorker(() => temporal().workflow.getHandle(`invocation/${taskId}`).result());
  expect(scene.agent.deliveries).toHaveLength(0);
});

it('starts a task again whose workflow was lost before it began, and carries it out once', async () => {
  const { owner } = scene.market;
  const before = await balance(owner, scene.buyer.userId, 'wallet');
  const taskId = await send();
  await deleteWorkflow(temporal(), `invocation/${taskId}`);
  await owner.query(`UPDATE a2a_tasks SET started_at = now() - interval '31 seconds' WHERE task_id = $1`, [
    taskId,
  ]);
  await withWorker(() => untilStatus(taskId, 'succeeded'));
  expect(scene.agent.countOf(taskId)).toBe(1);
  expect(await balance(owner, scene.buyer.userId, 'wallet')).toBe(before - 1_000);
});

it('refunds a task once whose workflow is lost while the agent works', async () => {
  const { market, buyer, agent } = scene;
  agent.behave({ kind: 'hangs' });
  const before = await balance(market.owner, buyer.userId, 'wallet');
  await withWorker(async () => {
    const taskId = await send();
    await agent.waitForDeliveries(1, 15_000);
    await deleteWorkflow(temporal(), `invocation/${taskId}`);
    expect((await poll(taskId)).body.status).not.toBe('failed');
    await market.owner.query(
      `UPDATE holds SET lease_until = now() - interval '1 second' WHERE invocation_id = $1`,
      [taskId],
    );
    const { waiting } = await checkLedger(market.container.pool);
    expect(waiting).toContainEqual(
      expect.objectContaining({ subject: 'holds past their lease', count: 1, units: 1_000 }),
    );
    await untilStatus(taskId, 'failed');
    expect((await poll(taskId)).body.error?.code).toBe('engine_unavailable');
  });
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before);
  await expectWholeLedger(market);
});

it('hands tasks over when a worker is stopped: repeatable ones are done, the others refunded', async () => {
  const { market, developer, agent } = scene;
  const again = await putLive(market, developer.userId, agent.url, { idempotent: true, timeoutMs: 60_000 });
  scene.agent.behave({ kind: 'hangs' });
  const first = startWorker();
  const [repeatable, once] = await Promise.all([send(again.agentId), send()]);
  await scene.agent.waitForDeliveries(2, 15_000);
  await realTime(100, 'the worker takes note of its calls');
  await first.stop();
  scene.agent.behave({ kind: 'echo' });
  await withWorker(async () => {
    await untilStatus(repeatable, 'succeeded', again.agentId);
    await untilStatus(once, 'failed');
  });
  expect((await poll(once)).body.error?.code).toBe('engine_unavailable');
  expect([scene.agent.countOf(repeatable), scene.agent.countOf(once)]).toEqual([2, 1]);
});
