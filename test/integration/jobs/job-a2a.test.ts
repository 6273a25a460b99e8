/** Jobs over A2A (ADR 0304): the same job by both bindings, by the plain paths and by push notifications. */
import { randomUUID } from 'node:crypto';
import { Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { jobTaken, startJobAgent, type JobAgent } from '../../support/jobs/reporting-agent';
import { a2a, BINDINGS, clientFor, dataMessage, dataOf, sendTask } from '../../support/protocols/a2a';
import { balance, eventually, register, type TestUser } from '../../support/market';
import { startHookServer } from '../../support/webhooks/hook-server';
import { request } from '../../support/catalogue/publishing';
import { useScene } from '../../support/use-market';

const scene = useScene();
let buyer: TestUser;
let agent: JobAgent;

beforeAll(async () => {
  agent = await startJobAgent(scene.market, scene.developer);
});
beforeEach(async () => {
  agent.agent.forget();
  buyer = await register(scene.market, 'buyer', 100);
});

const LIST = {
  tenant: '',
  contextId: '',
  pageSize: undefined,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: undefined,
};
const message = (configuration: Record<string, unknown> = { returnImmediately: true }) =>
  dataMessage({ text: randomUUID() }, { configuration });
const balances = () =>
  Promise.all([
    balance(scene.market.owner, buyer.userId, 'wallet'),
    balance(scene.market.owner, buyer.userId, 'escrow'),
  ]);

/** The statuses of a stream: `[state, text of its message, progress]`. `react` is called with each text. */
async function follow(stream: ReturnType<Client['resubscribeTask']>, react: (text: string) => void) {
  const seen: unknown[] = [];
  for await (const { payload } of stream) {
    if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') continue;
    const { status, metadata } = payload.value;
    const texts = (status?.message?.parts ?? []).flatMap(({ content }) =>
      content?.$case === 'text' ? [content.value] : [],
    );
    const state = TaskState[status?.state ?? 0] ?? '';
    seen.push([state.replace('TASK_STATE_', ''), texts[0], metadata?.['io.market/progress']]);
    react(`${texts[0]} ${String(metadata?.['io.market/progress'])}`);
  }
  return seen;
}

it.each(BINDINGS)(
  'shows and streams what the agent of a job reports, and its answer (%s)',
  async (binding) => {
    const client = await clientFor(scene.market, buyer, agent.agentId, binding);
    const { id } = await sendTask(client, message());
    await jobTaken(scene.market, agent);
    await agent.callBack(id, 'progress', { progress: 0.4, message: 'Reads page 4 of 10.' });
    expect(Task.toJSON(await client.getTask({ id, tenant: '' }))).toMatchObject({
      status: {
        state: 'TASK_STATE_WORKING',
        message: {
          role: 'ROLE_AGENT',
          parts: [{ text: 'Reads page 4 of 10.' }, { data: { progress: 0.4 } }],
        },
      },
      metadata: { 'io.market/progress': 0.4 },
    });
    const plain = await a2a(scene.market, buyer, 'GET', `${agent.agentId}/tasks/${id}`);
    expect(plain.body).toMatchObject({
      status: 'running',
      job: { progress: 0.4, message: 'Reads page 4 of 10.' },
    });
    const next: Record<string, () => Promise<unknown>> = {
      'Reads page 4 of 10. 0.4': async () => {
        await agent.callBack(id, 'progress', { progress: 0.2, message: 'An old report.' });
        await agent.callBack(id, 'progress', { progress: 0.75 });
      },
      'Reads page 4 of 10. 0.75': () => agent.callBack(id, 'answer', { output: { text: 'read' } }),
    };
    const seen = await follow(client.resubscribeTask({ id, tenant: '' }), (text) => void next[text]?.());
    expect(seen).toEqual([
      ['WORKING', 'Reads page 4 of 10.', 0.4],
      ['WORKING', 'Reads page 4 of 10.', 0.75],
      ['COMPLETED', undefined, undefined],
    ]);
    const ended = await client.getTask({ id, tenant: '' });
    expect(dataOf(ended)).toEqual({ text: 'read' });
    expect(await balances()).toEqual([9_000, 0]);
  },
);

it('pushes what the agent of a job reports to the address of the task', async () => {
  const hook = await startHookServer();
  const client = await clientFor(scene.market, buyer, agent.agentId, 'JSONRPC');
  const taskPushNotificationConfig = { url: `${hook.url}/progress` };
  const { id } = await sendTask(client, message({ returnImmediately: true, taskPushNotificationConfig }));
  await jobTaken(scene.market, agent);
  await eventually(() => hook.told.length === 1, 20_000);
  await agent.callBack(id, 'progress', { progress: 0.5, message: 'Half of it.' });
  await eventually(() => hook.told.length === 2, 20_000);
  expect(hook.told[1]?.body).toMatchObject({
    statusUpdate: {
      taskId: id,
      status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'Half of it.' }, {}] } },
      metadata: { 'io.market/progress': 0.5 },
    },
  });
  await agent.callBack(id, 'question', QUESTION);
  await eventually(() => hook.told.length === 3, 20_000);
  expect(hook.told[2]?.body).toMatchObject({
    statusUpdate: {
      status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which year?' }, {}] } },
    },
  });
  await agent.callBack(id, 'answer', { output: { text: 'done' } });
  await eventually(() => hook.told.some(({ body }) => 'task' in body), 20_000);
  await hook.stop();
});

it.each(BINDINGS)(
  'is canceled by CancelTask and refunded, and refuses a later answer of its agent (%s)',
  async (binding) => {
    const client = await clientFor(scene.market, buyer, agent.agentId, binding);
    const { id } = await sendTask(client, message());
    await jobTaken(scene.market, agent);
    expect(await balances()).toEqual([9_000, 1_000]);
    const canceled = await client.cancelTask({ id, tenant: '', metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(await balances()).toEqual([10_000, 0]);
    expect(await agent.callBack(id, 'answer', { output: { text: 'late' } })).toBe(409);
  },
);

const QUESTION = {
  prompt: 'Which year?',
  schema: { type: 'object', properties: { year: { type: 'string' } }, required: ['year'] },
};

/** The answers of the caller that the agent got. */
const answers = () =>
  agent.agent.deliveries.flatMap(({ body }) => {
    const { type, input } = JSON.parse(body.toString()) as { type?: string; input?: unknown };
    return type === 'answer' ? [input] : [];
  });

describe('a question of the agent', () => {
  it.each(BINDINGS)(
    'is shown, streamed and answered by a message with the id of the task (%s)',
    async (binding) => {
      const client = await clientFor(scene.market, buyer, agent.agentId, binding);
      const { id, contextId } = await sendTask(client, message());
      await jobTaken(scene.market, agent);
      const waiting = sendTask(client, dataMessage({ text: 'other' }));
      expect(await agent.callBack(id, 'question', QUESTION)).toBe(202);
      const asking = await client.getTask({ id, tenant: '' });
      expect(Task.toJSON(asking)).toMatchObject({
        status: {
          state: 'TASK_STATE_INPUT_REQUIRED',
          message: { parts: [{ text: 'Which year?' }, { data: { question: QUESTION } }] },
        },
      });
      await eventually(() => agent.agent.deliveries.length === 2);
      const other = await jobTaken(scene.market, agent);
      expect(await agent.callBack(other, 'question', QUESTION)).toBe(202);
      // A caller that waits is answered when the task asks.
      expect((await waiting).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const listed = await client.listTasks({
        ...LIST,
        status: TaskState.TASK_STATE_INPUT_REQUIRED,
      });
      expect(listed.tasks.map((task) => task.id).sort()).toEqual([id, other].sort());
      const answer = (parts: unknown[], more = {}) =>
        client.sendMessage(
          dataMessage(null, {
            parts,
            taskId: id,
            contextId,
            configuration: { returnImmediately: true },
            ...more,
          }),
        );
      await expect(answer([{ data: { year: 7 } }])).rejects.toThrow();
      await answer([{ text: '1999' }]);
      expect((await client.getTask({ id, tenant: '' })).status?.state).toBe(TaskState.TASK_STATE_WORKING);
      await eventually(() => answers().length === 1);
      expect(answers()).toEqual([{ year: '1999' }]);
      await expect(answer([{ text: '2000' }])).rejects.toThrow();
      await agent.callBack(id, 'answer', { output: { text: '1999' } });
      await client.cancelTask({ id: other, tenant: '', metadata: undefined });
      await request(scene.market, buyer, 'GET', `/v1/invocations/${id}?wait=30`);
      expect(dataOf(await client.getTask({ id, tenant: '' }))).toEqual({ text: '1999' });
      expect(await balances()).toEqual([9_000, 0]);
    },
  );
});
