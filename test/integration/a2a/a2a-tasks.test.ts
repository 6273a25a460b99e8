/** The specification's two paths: a task is created with a mandate and polled (specification, "A2A"). */
import { a2a, ownMandate } from '../../support/protocols/a2a';
import { balance, eventually, putLive, register, topUp } from '../../support/market';
import { useScene } from '../../support/use-market';

const scene = useScene({ agent: { credits: 10, timeoutMs: 20_000 } });
let mandate: unknown;

beforeAll(async () => {
  mandate = await ownMandate(scene.market, scene.buyer);
});
beforeEach(() => {
  scene.agent.forget();
  scene.agent.behave({ kind: 'echo' });
});

const create = (
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
  agentId = scene.agentId,
) => a2a(scene.market, scene.buyer, 'POST', `${agentId}/tasks`, { mandate, ...body }, headers);
const poll = (taskId: string, who = scene.buyer) =>
  a2a(scene.market, who, 'GET', `${scene.agentId}/tasks/${taskId}`);
const wallet = () => balance(scene.market.owner, scene.buyer.userId, 'wallet');

async function untilOver(taskId: string) {
  let reply = await poll(taskId);
  await eventually(async () => {
    reply = await poll(taskId);
    return !['accepted', 'running'].includes(reply.body.status);
  }, 20_000);
  return reply.body;
}

it('accepts a task at once, and returns its result, usage and trace on request', async () => {
  const before = await wallet();
  const { status, body } = await create({ input: { text: 'task' } });
  expect(status).toBe(202);
  expect(Object.keys(body).sort()).toEqual(['status', 'task_id', 'trace_id']);
  expect(['accepted', 'running']).toContain(body.status);
  const over = await untilOver(body.task_id);
  expect(over).toEqual({
    task_id: body.task_id,
    status: 'succeeded',
    trace_id: body.trace_id,
    output: { text: 'task' },
    usage: expect.objectContaining({ credits_charged: 10 }) as unknown,
  });
  expect(before - (await wallet())).toBe(1_000);
});

it('requires a mandate, and refuses an invalid one', async () => {
  const { market, buyer, agentId } = scene;
  const without = await a2a(market, buyer, 'POST', `${agentId}/tasks`, { input: { text: 'x' } });
  expect([without.status, without.body.error?.code]).toEqual([422, 'validation_failed']);
  const forged = await create({
    input: { text: 'x' },
    mandate: { type: 'a2a.spend.v1', jws: 'e30.e30.e30' },
  });
  expect([forged.status, forged.body.error?.code]).toEqual([403, 'mandate_invalid']);
  const wrongInput = await create({ input: { nothing: 1 } });
  expect([wrongInput.status, wrongInput.body.error?.code]).toEqual([422, 'input_schema_mismatch']);
  expect(scene.agent.deliveries).toHaveLength(0);
});

it('treats the same key as the same task', async () => {
  const before = await wallet();
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => create({ input: { text: 'key' }, idempotency_key: 'same' })),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 202));
  expect(new Set(replies.map(({ body }) => body.task_id)).size).toBe(1);
  const taskId = replies[0]?.body.task_id ?? '';
  await untilOver(taskId);
  const later = await create({ input: { text: 'key' } }, { 'idempotency-key': 'same' });
  expect(later.body).toMatchObject({ task_id: taskId, status: 'succeeded' });
  expect(later.headers.get('idempotent-replayed')).toBe('true');
  const other = await create({ input: { text: 'other' }, idempotency_key: 'same' });
  expect([other.status, other.body.error?.code]).toEqual([409, 'idempotency_key_reused']);
  expect(before - (await wallet())).toBe(1_000);
  expect(scene.agent.deliveries).toHaveLength(1);
});

it('reports a failure by its code, and charges nothing', async () => {
  scene.agent.behave({ kind: 'wrong_shape' });
  const before = await wallet();
  const { body } = await create({ input: { text: 'x' } });
  const over = await untilOver(body.task_id);
  expect(over).toMatchObject({
    status: 'failed',
    error: { code: 'output_schema_mismatch', retryable: true },
  });
  expect(over).not.toHaveProperty('output');
  expect(await wallet()).toBe(before);
});

it('refuses agents that no agent may call, and shows no card of them', async () => {
  const { market, developer, agent } = scene;
  const closed = await putLive(market, developer.userId, agent.url, { a2aInvocable: false });
  const refused = await create({ input: { text: 'x' } }, {}, closed.agentId);
  expect([refused.status, refused.body.error?.code]).toEqual([403, 'a2a_not_allowed']);
  for (const path of [
    `/.well-known/agents/${closed.agentId}/agent-card.json`,
    `/v1/a2a/${closed.agentId}/.well-known/agent-card.json`,
  ]) {
    expect((await fetch(`${market.url}${path}`)).status).toBe(404);
  }
  const missing = await create({ input: { text: 'x' } }, {}, 'agt_no_such_agent_v1');
  expect([missing.status, missing.body.error?.code]).toEqual([404, 'not_found']);
});

it('is 404 for other accounts, and under another agent', async () => {
  const { market, developer, agent } = scene;
  const { body } = await create({ input: { text: 'mine' } });
  await untilOver(body.task_id);
  const stranger = await register(market, 'buyer');
  expect((await poll(body.task_id, stranger)).status).toBe(404);
  const other = await putLive(market, developer.userId, agent.url);
  const elsewhere = await a2a(market, scene.buyer, 'GET', `${other.agentId}/tasks/${body.task_id}`);
  expect([elsewhere.status, elsewhere.body.error?.code]).toEqual([404, 'not_found']);
  const unknown = await a2a(market, null, 'GET', `${scene.agentId}/tasks/${body.task_id}`);
  expect([unknown.status, unknown.body.error?.code]).toEqual([401, 'not_authenticated']);
});

it('refuses a task that the wallet does not cover before it exists', async () => {
  const poor = await register(scene.market, 'buyer', 5);
  const own = await ownMandate(scene.market, poor);
  const path = `${scene.agentId}/tasks`;
  const body = { input: { text: 'x' }, mandate: own };
  const refused = await a2a(scene.market, poor, 'POST', path, body);
  expect([refused.status, refused.body.error?.code]).toEqual([402, 'insufficient_credits']);
  await topUp(scene.market.owner, poor.userId, 5);
  expect((await a2a(scene.market, poor, 'POST', path, body)).status).toBe(202);
});

it('keeps the output of an agent that retains nothing for a day, encrypted, and the input only while it runs', async () => {
  const { market, developer, agent } = scene;
  const live = await putLive(market, developer.userId, agent.url, { retentionDays: 0 });
  const { body } = await create({ input: { text: 'CANARY-77aa' } }, {}, live.agentId);
  const path = `${live.agentId}/tasks/${body.task_id}`;
  await eventually(
    async () => (await a2a(market, scene.buyer, 'GET', path)).body.status === 'succeeded',
    20_000,
  );
  for (let n = 0; n < 2; n += 1) {
    expect((await a2a(market, scene.buyer, 'GET', path)).body.output).toEqual({ text: 'CANARY-77aa' });
  }
  const { rows } = await market.owner.query<{ hours: number; gone: boolean; answer: Buffer }>(
    `SELECT extract(epoch FROM a.expires_at - now()) / 3600 AS hours, t.input IS NULL AS gone, a.answer
       FROM a2a_tasks t JOIN invocation_answers a ON a.invocation_id = t.task_id WHERE t.task_id = $1`,
    [body.task_id],
  );
  expect(Number(rows[0]?.hours)).toBeGreaterThan(23.9);
  expect(Number(rows[0]?.hours)).toBeLessThanOrEqual(24);
  expect(rows[0]?.gone).toBe(true);
  expect(rows[0]?.answer.includes('CANARY-77aa')).toBe(false);
});
