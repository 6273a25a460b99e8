/** Clients of A2A 0.3: the official compatibility client, and plain JSON-RPC for what it would not send. */
import { randomUUID } from 'node:crypto';
import { TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { a2a, fetchAs, dataMessage } from '../../support/protocols/a2a';
import { jobTaken, startJobAgent } from '../../support/jobs/reporting-agent';
import { eventually } from '../../support/market';
import { useScene } from '../../support/use-market';
import { startHookServer } from '../../support/webhooks/hook-server';

type Json = Record<string, unknown>;
interface Envelope {
  id?: unknown;
  result?: Json;
  error?: { code: number; message: string };
}

const scene = useScene();

const part = (data: unknown) => ({ kind: 'data', data });
const message = (parts: unknown[], more: Json = {}) => ({
  message: { kind: 'message', messageId: randomUUID(), role: 'user', parts, ...more },
});
async function rpc(method: string, params: unknown, headers = {}, agentId = scene.agentId) {
  const body = { jsonrpc: '2.0', id: 'a', method, params };
  const reply = await a2a<Json>(scene.market, scene.buyer, 'POST', `${agentId}/rpc`, body, headers);
  return { status: reply.status, ...(reply.body as unknown as Envelope) };
}
async function events(method: string, params: unknown, agentId = scene.agentId): Promise<Json[]> {
  const response = await fetch(`${scene.market.url}/v1/a2a/${agentId}/rpc`, {
    method: 'POST',
    headers: { cookie: scene.buyer.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('data: '));
  return blocks.map(
    (block) => (JSON.parse(block.slice(6)) as Envelope).result ?? (JSON.parse(block.slice(6)) as Json),
  );
}
const ofTask = (task: Json | undefined) => (task?.['status'] as Json | undefined)?.['state'];

it('buys by message/send without a version, and reads, cancels and follows the task by the methods of 0.3', async () => {
  const sent = await rpc('message/send', message([part({ text: 'then' })]));
  expect(sent).toMatchObject({
    status: 200,
    id: 'a',
    result: {
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'data', data: { text: 'then' } }] }],
      history: [{ kind: 'message', role: 'user', parts: [part({ text: 'then' })] }],
      metadata: { 'io.market/credits_charged': 10 },
    },
  });
  const { id } = sent.result as { id: string };
  expect((await rpc('tasks/get', { id, historyLength: 0 }, { 'a2a-version': '0.3' })).result).toMatchObject({
    id,
  });
  expect((await rpc('tasks/cancel', { id })).error?.code).toBe(-32_002);
  const [over] = (await events('tasks/resubscribe', { id })) as Envelope[];
  expect(over?.error?.code).toBe(-32_004);
  const streamed = await events('message/stream', message([{ kind: 'text', text: 'as text' }]));
  expect(streamed.map((event) => [event['kind'], ofTask(event), event['final']])).toEqual([
    ['task', expect.any(String), undefined],
    ...streamed.slice(1, -2).map(() => ['status-update', 'working', false]),
    ['artifact-update', undefined, undefined],
    ['status-update', 'completed', true],
  ]);
});

it('answers the official compatibility client, with a large output as it is', async () => {
  const fetchImpl = fetchAs(scene.market, scene.buyer);
  const endpoint = `${scene.market.config.PUBLIC_ORIGIN}/v1/a2a/${scene.agentId}/rpc`;
  const client = new LegacyJsonRpcTransport({ endpoint, fetchImpl });
  const large = { text: 'y'.repeat(200_000) };
  const task = await client.sendMessage(dataMessage(large));
  expect('status' in task && task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const { result } = await rpc('tasks/get', { id: 'id' in task ? task.id : '' });
  expect(result?.['artifacts']).toMatchObject([{ parts: [part(large)] }]);
});

it('notifies a client of 0.3 with the task as 0.3 shows it', async () => {
  const hook = await startHookServer();
  const url = `${hook.url}/${randomUUID()}`;
  const { result } = await rpc('message/send', {
    ...message([part({ text: 'push' })]),
    configuration: { blocking: false, pushNotificationConfig: { url, token: 't' } },
  });
  const { id } = result as { id: string };
  const configs = await rpc('tasks/pushNotificationConfig/list', { id });
  expect(configs.result).toMatchObject([{ taskId: id, pushNotificationConfig: { url } }]);
  const first = await rpc('tasks/pushNotificationConfig/get', { id });
  expect(first.result).toEqual((configs.result as unknown as Json[])[0]);
  const over = () => hook.told.find(({ body }) => ofTask(body as Json) === 'completed');
  await eventually(() => over() !== undefined, 20_000);
  expect(over()?.body).toEqual((await rpc('tasks/get', { id })).result);
  const { pushNotificationConfig } = first.result as { pushNotificationConfig: { id: string } };
  const named = { id, pushNotificationConfigId: pushNotificationConfig.id };
  expect((await rpc('tasks/pushNotificationConfig/delete', named)).result).toBeNull();
  expect((await rpc('tasks/pushNotificationConfig/get', named)).error?.code).toBe(-32_001);
  const set = await rpc('tasks/pushNotificationConfig/set', {
    taskId: id,
    pushNotificationConfig: { url, id: 'mine' },
  });
  expect(set.result).toMatchObject({ taskId: id, pushNotificationConfig: { id: 'mine', url } });
  await hook.stop();
});

it('ends the stream of 0.3 when the agent asks, and takes the answer by taskId, or refuses another context', async () => {
  const agent = await startJobAgent(scene.market, scene.developer);
  const streaming = events('message/stream', message([part({ text: 'job' })]), agent.agentId);
  await eventually(() => agent.agent.deliveries.length > 0);
  const taskId = await jobTaken(scene.market, agent);
  const schema = { type: 'object', properties: { year: { type: 'string' } }, required: ['year'] };
  await agent.callBack(taskId, 'question', { prompt: 'Which year?', schema });
  const last = (await streaming).at(-1);
  expect(last).toMatchObject({ kind: 'status-update', final: true, status: { state: 'input-required' } });
  const { contextId } = last as { contextId: string };
  const answer = [{ kind: 'text', text: '1999' }];
  const strange = await rpc(
    'message/send',
    message(answer, { taskId, contextId: 'other' }),
    {},
    agent.agentId,
  );
  expect(strange.error?.code).toBe(-32_602);
  const configuration = { blocking: false };
  const given = { ...message(answer, { taskId }), configuration };
  expect(ofTask((await rpc('message/send', given, {}, agent.agentId)).result)).toBe('working');
  await agent.callBack(taskId, 'answer', { output: { text: 'in 1999' } });
  // A message of the same context without the id of the task is a new task of the conversation.
  const next = { ...message([part({ text: 'next' })], { contextId }), configuration };
  const { result } = await rpc('message/send', next, {}, agent.agentId);
  expect(result).toMatchObject({ contextId });
  expect(result?.['id']).not.toBe(taskId);
  await rpc('tasks/cancel', { id: result?.['id'] }, {}, agent.agentId);
  const ended = async () => ofTask((await rpc('tasks/get', { id: taskId }, {}, agent.agentId)).result);
  await eventually(async () => (await ended()) === 'completed');
});

it('refuses a request without a body', async () => {
  const reply = await a2a<Json>(scene.market, scene.buyer, 'POST', `${scene.agentId}/rpc`);
  expect([reply.status, reply.body.error?.code]).toEqual([200, -32_600]);
});

it.each<[string, string, unknown, number]>([
  ['a method of 1.0 without its version', 'SendMessage', {}, -32_009],
  ['an unknown method', 'tasks/list', {}, -32_601],
  ['no parameters', 'message/send', undefined, -32_602],
  ['parts that are no list', 'message/send', message('x' as never), -32_602],
  ['a part of 1.0', 'message/send', message([{ text: 'x' }]), -32_602],
  ['a file part without a file', 'message/send', message([{ kind: 'file' }]), -32_602],
  ['a file', 'message/send', message([{ kind: 'file', file: { bytes: 'eA==' } }]), -32_005],
  ['a role that is none', 'message/send', message([part({})], { role: 'ROLE_USER' }), -32_602],
  ['extensions that are no list', 'message/send', message([part({})], { extensions: 5 }), -32_602],
  ['metadata that is text', 'message/send', message([part({})], { metadata: 'x' }), -32_602],
  ['an id that is an object', 'tasks/get', { id: {} }, -32_602],
  ['a history of no number', 'tasks/get', { id: 'inv_1', historyLength: 'x' }, -32_602],
  [
    'a push config without a URL',
    'tasks/pushNotificationConfig/set',
    { taskId: 'inv_1', pushNotificationConfig: {} },
    -32_602,
  ],
  ['a task of nobody', 'tasks/get', { id: 'inv_1' }, -32_001],
  ['a name that no database can hold', 'tasks/cancel', { id: 'a\u0000' }, -32_001],
  ['the extended card', 'agent/getAuthenticatedExtendedCard', undefined, -32_007],
])('refuses %s in the form of JSON-RPC', async (_name, method, params, code) => {
  const reply = await rpc(method, params);
  expect([reply.status < 500, reply.id, reply.error?.code]).toEqual([true, 'a', code]);
  expect(reply.error?.message).not.toMatch(/undefined|Cannot read/);
});
