/** Push notifications of tasks (A2A 1.0), delivered by the workflow `webhookDelivery` through egress. */
import { randomUUID } from 'node:crypto';
import { TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { fastForward } from '../../../src/engine/time-travel';
import { a2a, type Binding, BINDINGS, clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { eventually, register } from '../../support/market';
import { watchLargeJson } from '../../support/calls/json-work';
import { startHookServer, type HookServer } from '../../support/webhooks/hook-server';
import { startScene, type Scene } from '../../support/scene';

let scene: Scene;
let hook: HookServer;
beforeAll(async () => {
  [scene, hook] = await Promise.all([startScene({ agent: { timeoutMs: 20_000 } }), startHookServer()]);
});
afterAll(async () => {
  await hook.stop();
  await scene.stop();
});

const clientOf = (binding: Binding): Promise<Client> =>
  clientFor(scene.market, scene.buyer, scene.agentId, binding);
const toldAt = (path: string) => hook.told.filter((told) => told.path === path);
const newPath = () => `/${randomUUID()}`;

interface DeliveryRow {
  delivery_id: string;
  event_id: string;
  endpoint_id: string;
  state: string;
  attempts: number;
  last_status: number | null;
  last_error: string | null;
  payload: Buffer | null;
}
async function deliveriesOf(taskId: string): Promise<DeliveryRow[]> {
  const { rows } = await scene.market.owner.query<DeliveryRow>(
    'SELECT * FROM webhook_deliveries WHERE subject_id = $1 ORDER BY subject_seq, delivery_id',
    [taskId],
  );
  return rows;
}
const configuration = (path: string, more: Record<string, unknown> = {}) => ({
  returnImmediately: true,
  taskPushNotificationConfig: {
    url: `${hook.url}${path}`,
    token: 'CANARY-token',
    authentication: { scheme: 'Bearer', credentials: 'CANARY-credentials' },
    ...more,
  },
});

it.each(BINDINGS)('sends every change of a task to the address in its message (%s)', async (binding) => {
  const path = newPath();
  scene.agent.behave({ kind: 'slow', ms: 300 });
  const client = await clientOf(binding);
  const task = await sendTask(client, dataMessage({ text: 'push' }, { configuration: configuration(path) }));
  await eventually(async () => toldAt(path).length >= 2, 20_000);
  const told = toldAt(path);
  const working = told.find(({ body }) => 'statusUpdate' in body);
  const over = told.find(({ body }) => 'task' in body);
  expect(working?.body).toMatchObject({
    statusUpdate: { taskId: task.id, contextId: task.contextId, status: { state: 'TASK_STATE_WORKING' } },
  });
  expect(over?.body).toMatchObject({
    task: {
      id: task.id,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ data: { text: 'push' } }] }],
    },
  });
  expect(over?.headers).toMatchObject({
    authorization: 'Bearer CANARY-credentials',
    'x-a2a-notification-token': 'CANARY-token',
    'content-type': 'application/a2a+json',
  });
  await eventually(async () => (await deliveriesOf(task.id)).every(({ state }) => state === 'delivered'));
  const rows = await deliveriesOf(task.id);
  expect(rows.map(({ payload }) => payload)).toEqual([null, null]);
});

it('sends a large result as it is stored: the event loop neither parses nor serializes it', async () => {
  const path = newPath();
  const text = 'é"x'.repeat(200_000);
  const answer = Buffer.from(JSON.stringify({ text }));
  scene.agent.behave({ kind: 'stream', contentType: 'application/json', parts: () => [answer] });
  const client = await clientOf('JSONRPC');
  const work = watchLargeJson();
  await sendTask(client, dataMessage({ text: 'large' }, { configuration: configuration(path) }));
  await eventually(async () => toldAt(path).some(({ body }) => 'task' in body), 20_000);
  work.stop();
  scene.agent.behave({ kind: 'echo' });
  expect(toldAt(path).find(({ body }) => 'task' in body)?.body).toMatchObject({
    task: { artifacts: [{ parts: [{ data: { text } }] }] },
  });
  expect(work.callers).toEqual([]);
});

it('makes, shows, lists and removes configs, and never shows a secret again', async () => {
  const client = await clientOf('JSONRPC');
  const task = await sendTask(client, dataMessage({ text: 'configs' }));
  const config = TaskPushNotificationConfig.fromJSON({
    id: 'mine',
    taskId: task.id,
    url: `${hook.url}/mine`,
    token: 'CANARY-token',
    authentication: { scheme: 'Bearer', credentials: 'CANARY-credentials' },
  });
  const where = { tenant: '', taskId: task.id };
  for (const each of BINDINGS) {
    const api = await clientOf(each);
    const made = await api.createTaskPushNotificationConfig(config);
    expect(made).toMatchObject({ id: 'mine', taskId: task.id, url: `${hook.url}/mine` });
    const shown = await api.getTaskPushNotificationConfig({ ...where, id: 'mine' });
    const { configs } = await api.listTaskPushNotificationConfig({ ...where, pageSize: 0, pageToken: '' });
    expect(configs).toEqual([shown]);
    expect(JSON.stringify([made, shown, configs])).not.toContain('CANARY');
    for (let times = 0; times < 2; times += 1) {
      await api.deleteTaskPushNotificationConfig({ ...where, id: 'mine' });
    }
    await expect(
      api.deleteTaskPushNotificationConfig({ ...where, taskId: `inv_${'0'.repeat(32)}`, id: 'mine' }),
    ).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    await expect(api.getTaskPushNotificationConfig({ ...where, id: 'mine' })).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  }
});

it.each([
  ['http', 'http://127.77.0.9/'],
  ['a private address', 'https://10.0.0.1/'],
  ['the metadata address', 'https://169.254.169.254/'],
  ['no address', 'nonsense'],
])('refuses push notifications to %s', async (_name, url) => {
  const reply = await a2a(
    scene.market,
    scene.buyer,
    'POST',
    `${scene.agentId}/message:send`,
    {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'x' } }] },
      configuration: { taskPushNotificationConfig: { url } },
    },
    { 'a2a-version': '1.0' },
  );
  expect(reply.status).toBe(422);
  expect(reply.body.error?.details).toMatchObject([{ reason: 'UNSAFE_URL' }]);
});

it('does not follow a redirect, retries by the schedule, and sends the same body', async () => {
  const path = newPath();
  scene.agent.behave({ kind: 'hangs' });
  const client = await clientOf('JSONRPC');
  hook.answerWith(path, 302, 500);
  const task = await sendTask(client, dataMessage({ text: 'again' }, { configuration: configuration(path) }));
  await eventually(async () => toldAt(path).length === 1, 15_000);
  await eventually(async () => (await deliveriesOf(task.id))[0]?.last_error === 'redirect');
  await eventually(async () => toldAt(path).length === 2, 15_000);
  const [delivery] = await deliveriesOf(task.id);
  const workflowId = `webhook/${delivery?.event_id}/${delivery?.endpoint_id}`;
  const temporal = scene.market.environment.client;
  await eventually(async () => (await deliveriesOf(task.id))[0]?.last_status === 500);
  expect(await temporal.workflow.getHandle(workflowId).describe()).toMatchObject({
    status: { name: 'RUNNING' },
  });
  await fastForward(temporal, workflowId, 300_000);
  await eventually(async () => toldAt(path).length === 3, 15_000);
  const [first, second, third] = toldAt(path);
  expect(second?.body).toEqual(first?.body);
  expect(third?.body).toEqual(first?.body);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(4_900);
  await eventually(async () => (await deliveriesOf(task.id))[0]?.state === 'delivered');
  const history = await temporal.workflow.getHandle(workflowId).fetchHistory();
  const text = JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
  for (const secret of ['CANARY', hook.url, 'again']) expect(text).not.toContain(secret);
  await client.cancelTask({ tenant: '', id: task.id, metadata: {} });
});

it('starts at most 50 pushes of one buyer at once, over all tasks and configs', async () => {
  const path = newPath();
  hook.answerWith(path, ...Array.from({ length: 200 }, () => 0));
  let release: (value?: unknown) => void = () => undefined;
  scene.agent.behave({ kind: 'waits', until: new Promise((resolve) => (release = resolve)) });
  const other = await register(scene.market, 'buyer', 1_000);
  const client = await clientFor(scene.market, other, scene.agentId, 'JSONRPC');
  const tasks = await Promise.all(
    Array.from({ length: 6 }, () =>
      sendTask(client, dataMessage({ text: 'many' }, { configuration: { returnImmediately: true } })),
    ),
  );
  await scene.agent.waitForDeliveries(6);
  for (const { id: taskId } of tasks)
    for (let n = 0; n < 10; n += 1)
      await client.createTaskPushNotificationConfig(
        TaskPushNotificationConfig.fromJSON({ taskId, id: `c${n}`, url: `${hook.url}${path}` }),
      );
  release();
  const states = async () => {
    const { rows } = await scene.market.owner.query<{ all: string; started: string; accounts: string[] }>(
      `SELECT count(*) AS all, count(started_at) AS started, array_agg(DISTINCT account) AS accounts
         FROM webhook_deliveries WHERE subject_id = ANY ($1)`,
      [tasks.map(({ id }) => id)],
    );
    return rows[0];
  };
  await eventually(async () => Number((await states())?.started) >= 50, 20_000);
  await eventually(async () => toldAt(path).length >= 20, 20_000);
  expect(await states()).toEqual({ all: '60', started: '50', accounts: [other.userId] });
}, 60_000);

it('sends nothing more to an endpoint that answers 410', async () => {
  const path = newPath();
  scene.agent.behave({ kind: 'slow', ms: 3_000 });
  const client = await clientOf('JSONRPC');
  hook.answerWith(path, 410);
  const task = await sendTask(client, dataMessage({ text: 'gone' }, { configuration: configuration(path) }));
  await eventually(async () => (await deliveriesOf(task.id))[0]?.state === 'gone', 15_000);
  await eventually(
    async () =>
      (await client.getTask({ tenant: '', id: task.id })).status?.state === TaskState.TASK_STATE_COMPLETED,
    15_000,
  );
  expect(await deliveriesOf(task.id)).toHaveLength(1);
  expect(toldAt(path)).toHaveLength(1);
});
