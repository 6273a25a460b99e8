/** Agents of every kind as tasks, and tasks under disputes, keys, mandates of others, and after their time. */
import { randomUUID } from 'node:crypto';
import { a2a, type A2aReply } from '../../support/protocols/a2a';
import { request } from '../../support/catalogue/publishing';
import { makeKey } from '../../support/accounts/keys';
import { type MandateScene, mandateOf, startMandateScene } from '../../support/mandates/mandate-scene';
import { signProof } from '../../support/mandates/mandates';
import { mcpUpstream } from '../../support/protocols/mcp-upstream';
import { balance, eventually, putLive } from '../../support/market';
import { putSelfHosted } from '../../support/calls/use';

type Json = Record<string, unknown>;
interface WireTask {
  id: string;
  status: { state: string };
  artifacts?: { parts: Json[] }[];
  history?: Json[];
  metadata: Json;
}

let scene: MandateScene;
beforeAll(async () => {
  scene = await startMandateScene();
});
afterAll(() => scene.stop());
beforeEach(() => {
  scene.agent.forget();
  scene.agent.behave({ kind: 'echo' });
});

const V1 = { 'a2a-version': '1.0' };

async function send(
  agentId: string,
  data: unknown,
  options: {
    metadata?: Json;
    headers?: Record<string, string>;
    who?: Pick<typeof scene.buyer, 'cookie'> | null;
    now?: boolean;
  } = {},
): Promise<WireTask> {
  const { metadata, headers = {}, who = scene.buyer, now = false } = options;
  const message = {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [{ data }],
    ...(metadata && { metadata }),
  };
  const body = { message, ...(now && { configuration: { returnImmediately: true } }) };
  const reply = await a2a<{ task: WireTask }>(scene.market, who, 'POST', `${agentId}/message:send`, body, {
    ...V1,
    ...headers,
  });
  if (!reply.body.task) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.task;
}
const read = (taskId: string, agentId = scene.agentId): Promise<A2aReply<WireTask>> =>
  a2a<WireTask>(scene.market, scene.buyer, 'GET', `${agentId}/tasks/${taskId}`, undefined, V1);

it('answers bytes as raw with their media type, and declares them in the card', async () => {
  const { market, developer, agent } = scene;
  const bytes = Buffer.from([0, 255, 254, 137]);
  agent.behave({ kind: 'stream', contentType: 'image/png', parts: () => [bytes] });
  const hosted = await putSelfHosted(market, developer, agent.url, { credits: 3 });
  const task = await send(hosted.agentId, {});
  expect(task.artifacts?.[0]?.parts).toEqual([{ raw: bytes.toString('base64'), mediaType: 'image/png' }]);
  const polled = await a2a<Json>(market, scene.buyer, 'GET', `${hosted.agentId}/tasks/${task.id}`);
  expect(polled.body).toMatchObject({
    output: bytes.toString('base64'),
    content_type: 'image/png',
    output_encoding: 'base64',
  });
  agent.behave({ kind: 'stream', contentType: 'text/csv', parts: () => ['a,b'] });
  const text = await send(hosted.agentId, {});
  expect(text.artifacts?.[0]?.parts).toEqual([{ text: 'a,b', mediaType: 'text/csv' }]);
  const card = await fetch(`${market.url}/.well-known/agents/${hosted.agentId}/agent-card.json`);
  expect(await card.json()).toMatchObject({ defaultOutputModes: ['application/json', '*/*'] });
});

it('calls the tools of an MCP agent', async () => {
  const { market, developer, agent } = scene;
  agent.behave(mcpUpstream({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }));
  const hosted = await putSelfHosted(market, developer, agent.url, { protocol: 'mcp', credits: 3 });
  const task = await send(hosted.agentId, { tool: 'add', arguments: { a: 1 } });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.metadata['io.market/credits_charged']).toBe(3);
  expect(JSON.stringify(task.artifacts)).toContain('content');
});

it('returns an answer that is not JSON as a text part with its media type', async () => {
  const { market, developer, agent } = scene;
  agent.behave({ kind: 'stream', contentType: 'text/csv; charset=utf-8', parts: () => ['a,b\n1,2\n'] });
  const hosted = await putSelfHosted(market, developer, agent.url);
  const task = await send(hosted.agentId, { any: 'thing' });
  expect(task.artifacts?.[0]?.parts).toEqual([
    { text: 'a,b\n1,2\n', mediaType: expect.stringContaining('text/csv') as string },
  ]);
  const polled = await a2a(market, scene.buyer, 'GET', `${hosted.agentId}/tasks/${task.id}`);
  expect(polled.body).toMatchObject({
    output: 'a,b\n1,2\n',
    content_type: expect.stringContaining('text/csv') as string,
  });
});

it('meters an agent that is paid by tokens, within the ceiling', async () => {
  const { market, developer, agent } = scene;
  const pricing = { model: 'per_token', credits_per_1k_tokens: '1000', max_credits_per_call: 500 } as const;
  const { agentId } = await putLive(market, developer.userId, agent.url, { pricing });
  const task = await send(agentId, { text: 'some words to count' });
  const charged = Number(task.metadata['io.market/credits_charged']);
  expect(charged).toBeGreaterThan(5);
  const dear = await send(
    agentId,
    { text: 'some words to count' },
    { metadata: { 'io.market/max_cost_credits': charged - 1 } },
  );
  expect(['TASK_STATE_FAILED', 'TASK_STATE_REJECTED']).toContain(dear.status.state);
  expect(dear.metadata['io.market/error_code']).toBe('max_cost_exceeded');
});

it('is called with an API key of its scope, which spends within its cap', async () => {
  const { key } = await makeKey(scene.market, scene.buyer, { scopes: ['agents:invoke'], credit_cap: 10 });
  const headers = { 'x-api-key': key };
  const task = await send(scene.agentId, { text: 'key' }, { who: null, headers });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const beyond = await send(scene.agentId, { text: 'again' }, { who: null, headers });
  expect([beyond.status.state, beyond.metadata['io.market/error_code']]).toEqual([
    'TASK_STATE_REJECTED',
    'credit_cap_exceeded',
  ]);
  const reader = await makeKey(scene.market, scene.buyer, { scopes: ['agents:read'] });
  const refused = await a2a(scene.market, null, 'GET', `${scene.agentId}/tasks`, undefined, {
    ...V1,
    'x-api-key': reader.key,
  });
  expect(refused.status).toBe(403);
  expect(refused.body.error?.details).toMatchObject([{ reason: 'INSUFFICIENT_SCOPE' }]);
});

it('is paid under another account’s mandate on the standard binding, and is visible to the holder of the mandate', async () => {
  const { market, agentId, issuer, caller, holder } = scene;
  const before = await balance(market.owner, issuer.userId, 'wallet');
  const jws = await mandateOf(scene);
  const data = { text: 'paid by another' };
  const mandate = {
    type: 'a2a.spend.v1',
    jws,
    proof: await signProof(market, { jws, agentId, input: data, holder }),
  };
  const uri = `${market.config.PUBLIC_ORIGIN}/ext/spend-mandate/v1`;
  const headers = { 'a2a-extensions': uri };
  const task = await send(agentId, data, { who: caller, metadata: { [uri]: mandate }, headers });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(before - (await balance(market.owner, issuer.userId, 'wallet'))).toBe(1_000);
  const list = await a2a<{ tasks: WireTask[] }>(market, caller, 'GET', `${agentId}/tasks`, undefined, V1);
  expect(list.body.tasks.map(({ id }) => id)).toEqual([task.id]);
  const none = await send(agentId, data, { who: caller });
  expect([none.status.state, none.metadata['io.market/error_code']]).toEqual([
    'TASK_STATE_REJECTED',
    'insufficient_credits',
  ]);
});

describe('a dispute', () => {
  const dispute = (taskId: string) =>
    request(scene.market, scene.buyer, 'POST', '/v1/billing/disputes', {
      invocation_id: taskId,
      reason: 'other',
      description: 'It is not what it should be.',
    });

  it('of a running task cancels it', async () => {
    scene.agent.behave({ kind: 'hangs' });
    const task = await send(scene.agentId, { text: 'dispute' }, { now: true });
    await scene.agent.waitForDeliveries(1, 15_000);
    expect((await dispute(task.id)).status).toBe(201);
    const { body } = await read(task.id);
    expect(body.status.state).toBe('TASK_STATE_CANCELED');
    expect(body.metadata['io.market/disputed']).toBe(true);
    await eventually(async () => scene.agent.deliveries[0]?.closedAt !== undefined);
  });

  it('of a completed task leaves it completed, and says so when it is decided', async () => {
    const task = await send(scene.agentId, { text: 'done' });
    const opened = await dispute(task.id);
    expect(opened.status).toBe(201);
    const id = String(opened.body['dispute_id']);
    await eventually(async () => {
      const answer = { decision: 'accept', statement: 'It is true.' };
      const path = `/v1/billing/disputes/${id}/respond`;
      return (await request(scene.market, scene.developer, 'POST', path, answer)).status === 200;
    });
    const { body } = await read(task.id);
    expect(body.status.state).toBe('TASK_STATE_COMPLETED');
    expect(body.metadata['io.market/disputed']).toBe(true);
    const polled = await a2a(scene.market, scene.buyer, 'GET', `${scene.agentId}/tasks/${task.id}`);
    expect(polled.body.status).toBe('succeeded');
  });
});

it('deletes messages and results after their retention, and rejected tasks after a day', async () => {
  const { market } = scene;
  const task = await send(scene.agentId, { text: 'forget me' });
  const rejected = await send(scene.agentId, { wrong: true });
  expect((await read(task.id)).body.history).toHaveLength(1);
  await market.owner.query(`UPDATE a2a_tasks SET expires_at = now() WHERE task_id = ANY($1)`, [
    [task.id, rejected.id],
  ]);
  await market.owner.query(`UPDATE invocation_answers SET expires_at = now() WHERE invocation_id = $1`, [
    task.id,
  ]);
  await market.container.taskStarts.purge();
  const { body } = await read(task.id);
  expect(body).not.toHaveProperty('history');
  expect(body).not.toHaveProperty('artifacts');
  expect(body.metadata['io.market/output_expired']).toBe(true);
  const polled = await a2a(market, scene.buyer, 'GET', `${scene.agentId}/tasks/${task.id}`);
  expect(polled.body).toMatchObject({ status: 'succeeded', output_expired: true });
  expect((await read(rejected.id)).status).toBe(404);
});
