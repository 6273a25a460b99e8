/** The standard binding of A2A 1.0, asked by its official client in both forms. */
import { randomUUID } from 'node:crypto';
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { balance, eventually } from '../../support/market';
import {
  type Binding,
  BINDINGS,
  clientFor,
  dataMessage,
  dataOf,
  sendTask,
} from '../../support/protocols/a2a';
import { useScene } from '../../support/use-market';

const scene = useScene({ agent: { credits: 10, timeoutMs: 20_000 } });

const clientOf = (binding: Binding, agentId = scene.agentId): Promise<Client> =>
  clientFor(scene.market, scene.buyer, agentId, binding);
const wallet = () => balance(scene.market.owner, scene.buyer.userId, 'wallet');

async function collect(stream: AsyncIterable<StreamResponse>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { payload } of stream) {
    if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') {
      seen.push(`${payload.$case} ${TaskState[payload.value.status?.state ?? 0]}`);
    } else seen.push(payload?.$case ?? 'nothing');
  }
  return seen;
}

describe.each(BINDINGS)('%s', (binding) => {
  beforeEach(() => scene.agent.behave({ kind: 'echo' }));

  it('waits for a message to be done, charges it once and shows where', async () => {
    const client = await clientOf(binding);
    const before = await wallet();
    const task = await sendTask(client, dataMessage({ text: binding, n: 1 }));
    expect(TaskState[task.status?.state ?? 0]).toBe('TASK_STATE_COMPLETED');
    expect(dataOf(task)).toEqual({ text: binding, n: 1 });
    expect(task.metadata).toMatchObject({
      'io.market/invocation_id': task.id,
      'io.market/credits_charged': 10,
    });
    expect(task.status?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(before - (await wallet())).toBe(1_000);
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
  });

  it('answers at once if the client requests it, and is read and followed later', async () => {
    scene.agent.behave({ kind: 'slow', ms: 1_500 });
    const client = await clientOf(binding);
    const request = dataMessage(
      { text: 'later' },
      { configuration: { returnImmediately: true, historyLength: 0 } },
    );
    const task = await sendTask(client, request);
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(TaskState[task.status?.state ?? 0]);
    expect(task.history).toEqual([]);
    const seen = await collect(client.resubscribeTask({ tenant: '', id: task.id }));
    expect(seen[0]).toMatch(/^task /);
    expect(seen.slice(-2)).toEqual(['artifactUpdate', 'statusUpdate TASK_STATE_COMPLETED']);
    await expect(collect(client.resubscribeTask({ tenant: '', id: task.id }))).rejects.toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
    });
  });

  it('streams a task from its beginning to its end', async () => {
    scene.agent.behave({ kind: 'slow', ms: 300 });
    const client = await clientOf(binding);
    const seen = await collect(client.sendMessageStream(dataMessage({ text: 'stream' })));
    expect(seen[0]).toMatch(/^task TASK_STATE_(SUBMITTED|WORKING)$/);
    expect(seen.slice(-2)).toEqual(['artifactUpdate', 'statusUpdate TASK_STATE_COMPLETED']);
    expect(seen.filter((line) => line === 'statusUpdate TASK_STATE_WORKING').length).toBeLessThanOrEqual(1);
  });

  it('fails a task whose agent fails, with a message of the service and without a charge', async () => {
    scene.agent.behave({ kind: 'status', status: 500 });
    const before = await wallet();
    const task = await sendTask(await clientOf(binding), dataMessage({ text: 'no' }));
    expect(TaskState[task.status?.state ?? 0]).toBe('TASK_STATE_FAILED');
    expect(task.artifacts).toEqual([]);
    expect(task.metadata?.['io.market/error_code']).toBe('agent_error');
    const texts = task.status?.message?.parts.map(({ content }) => content);
    expect(texts?.[0]).toEqual({ $case: 'text', value: 'The agent answered with an error.' });
    expect(texts?.[1]).toMatchObject({ value: { error: { code: 'agent_error', retryable: true } } });
    expect(await wallet()).toBe(before);
  });

  it('cancels a running task, closes the connection to the agent, and refunds in full', async () => {
    scene.agent.forget();
    scene.agent.behave({ kind: 'hangs' });
    const client = await clientOf(binding);
    const before = await wallet();
    const request = dataMessage({ text: 'cancel me' }, { configuration: { returnImmediately: true } });
    const task = await sendTask(client, request);
    await scene.agent.waitForDeliveries(1, 10_000);
    expect(before - (await wallet())).toBe(1_000);
    const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: {} });
    expect(TaskState[canceled.status?.state ?? 0]).toBe('TASK_STATE_CANCELED');
    expect(await wallet()).toBe(before);
    await eventually(async () => scene.agent.deliveries[0]?.closedAt !== undefined, 5_000);
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: {} })).rejects.toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
    });
  });

  it('treats a message with the same id as the same task, and charges once', async () => {
    const client = await clientOf(binding);
    const before = await wallet();
    const messageId = randomUUID();
    const tasks = await Promise.all(
      Array.from({ length: 5 }, () => sendTask(client, dataMessage({ text: 'once' }, { messageId }))),
    );
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    expect(before - (await wallet())).toBe(1_000);
    await expect(sendTask(client, dataMessage({ text: 'other' }, { messageId }))).rejects.toMatchObject({
      message: expect.stringContaining('idempotency key') as string,
    });
  });

  it('lists tasks, latest change first, by pages', async () => {
    const client = await clientOf(binding);
    const contextId = randomUUID();
    const ids: string[] = [];
    for (const n of [1, 2, 3])
      ids.unshift((await sendTask(client, dataMessage({ text: 'list', n }, { contextId }))).id);
    const query = {
      tenant: '',
      contextId,
      status: 0,
      pageSize: 2,
      pageToken: '',
      statusTimestampAfter: undefined,
    };
    const first = await client.listTasks(query);
    expect(first.tasks.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.totalSize).toBe(3);
    expect(first.tasks.every((task) => task.artifacts.length === 0)).toBe(true);
    const second = await client.listTasks({
      ...query,
      pageToken: first.nextPageToken,
      includeArtifacts: true,
    });
    expect(second.tasks.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second.nextPageToken).toBe('');
    expect(dataOf(second.tasks[0] ?? { artifacts: [] })).toEqual({ text: 'list', n: 1 });
  });

  it('refuses a message to an existing task, and one with another context', async () => {
    const client = await clientOf(binding);
    const task = await sendTask(client, dataMessage({ text: 'first' }));
    const again = sendTask(client, dataMessage({ text: 'second' }, { taskId: task.id }));
    await expect(again).rejects.toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
    const other = sendTask(client, dataMessage({ text: 'second' }, { taskId: task.id, contextId: 'other' }));
    await expect(other).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
    const missing = client.getTask({ tenant: '', id: `inv_${'0'.repeat(32)}` });
    await expect(missing).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});
