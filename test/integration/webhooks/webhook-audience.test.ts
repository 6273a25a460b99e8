/** Which accounts are notified of which events, and which webhooks are refused (contract, "Webhooks"). */
import { recordEvent } from '../../../src/stores/webhooks/outbox';
import { withTransaction } from '../../../src/stores/db';
import { EVENT_EXAMPLES } from '../../../tools/reference/event-examples';
import { dispute, registerOperator, resolve, respond, succeed } from '../../support/disputes/disputes';
import { eventually, invoke, register, topUp, type TestUser } from '../../support/market';
import { startHookServer, type HookServer } from '../../support/webhooks/hook-server';
import { places, registerDeveloper, request } from '../../support/catalogue/publishing';
import { startScene, type Scene } from '../../support/scene';
import { postWebhook, type Receiver, startReceiver, verifyEvent } from '../../support/webhooks/webhooks';

const OF_CALLS = ['invocation.succeeded', 'invocation.failed', 'dispute.opened', 'dispute.resolved'];

let scene: Scene;
let hook: HookServer;
let stranger: TestUser;
beforeAll(async () => {
  [scene, hook] = await Promise.all([startScene({ market: {} }), startHookServer()]);
  stranger = await registerDeveloper(scene.market);
});
afterAll(async () => {
  await hook.stop();
  await scene.stop();
});

const receive = (who: TestUser, types: string[], agentId?: string) =>
  startReceiver(scene.market, who, hook, { types, ...(agentId && { agent_id: agentId }) });
const typesAt = (receiver: Receiver) => receiver.told().map(({ body }) => body['type']);
/** The first delivery, verified by the library. */
async function next(receiver: Receiver, type: string) {
  await eventually(async () => typesAt(receiver).includes(type), 15_000);
  const told = receiver.told().find(({ body }) => body['type'] === type);
  if (!told) throw new Error(type);
  return verifyEvent(receiver.secret, told).data;
}

it('notifies buyer and developer of their call, and no other account', async () => {
  const [buyer, developer, other] = [
    await receive(scene.buyer, OF_CALLS),
    await receive(scene.developer, OF_CALLS, scene.agentId),
    await receive(stranger, OF_CALLS),
  ];
  const invocationId = await succeed(scene.market, scene.buyer, scene.agentId);
  const expected = {
    invocation_id: invocationId,
    agent_id: scene.agentId,
    status: 'succeeded',
    usage: { credits_charged: 10 },
    error_code: null,
  };
  expect(await next(buyer, 'invocation.succeeded')).toMatchObject(expected);
  const told = await next(developer, 'invocation.succeeded');
  expect(told).toMatchObject(expected);
  expect(JSON.stringify(told)).not.toContain(scene.buyer.userId);
  scene.agent.behave({ kind: 'status', status: 500 });
  await invoke(scene.market, scene.buyer, scene.agentId, { input: { text: 'fails' } });
  scene.agent.behave({ kind: 'echo' });
  expect(await next(buyer, 'invocation.failed')).toMatchObject({
    status: 'failed',
    error_code: 'agent_error',
    usage: { credits_charged: 0 },
  });
  await next(developer, 'invocation.failed');
  expect(await other.deliveries()).toEqual([]);
});

it('notifies both sides of a dispute when it is opened and when it is decided', async () => {
  const [buyer, developer] = [await receive(scene.buyer, OF_CALLS), await receive(scene.developer, OF_CALLS)];
  const invocationId = await succeed(scene.market, scene.buyer, scene.agentId);
  const { body } = await dispute(scene.market, scene.buyer, invocationId);
  for (const side of [buyer, developer])
    expect(await next(side, 'dispute.opened')).toMatchObject({
      dispute_id: body.dispute_id,
      status: 'open',
      resolved_at: null,
    });
  await respond(scene.market, scene.developer, body.dispute_id, 'contest');
  await resolve(scene.market, await registerOperator(scene.market), body.dispute_id, 'buyer');
  for (const side of [buyer, developer]) {
    expect(await next(side, 'dispute.resolved')).toMatchObject({
      status: 'won',
      resolution: 'operator',
      refunded_credits: 10,
    });
    expect(side.told().some(({ text }) => text.includes('The answer is wrong'))).toBe(false);
    expect(typesAt(side).filter((type) => type === 'dispute.resolved')).toHaveLength(1);
  }
});

it('notifies of credits that were loaded', async () => {
  const receiver = await receive(scene.buyer, ['credits.loaded']);
  await topUp(scene.market.owner, scene.buyer.userId, 25);
  expect(await next(receiver, 'credits.loaded')).toMatchObject({
    credits: 25,
    amount_minor: 2_500,
    currency: 'INR',
  });
});

it('sends an event only after its transaction has committed', async () => {
  const receiver = await receive(scene.buyer, ['credits.loaded']);
  const event = {
    type: 'credits.loaded' as const,
    data: { credits: 1 },
    audience: { userIds: [scene.buyer.userId] },
  };
  const failing = withTransaction(scene.market.container.pool, async (tx) => {
    expect(await recordEvent(tx, event)).toMatch(/^evt_/);
    throw new Error('undone');
  });
  await expect(failing).rejects.toThrow('undone');
  await recordEvent(scene.market.container.pool, { ...event, data: { credits: 2 } });
  await eventually(async () => receiver.told().length > 0);
  expect((await receiver.deliveries()).map(({ body }) => body.data)).toEqual([{ credits: 2 }]);
});

it('stores no event that no webhook receives', async () => {
  const lonely = await register(scene.market, 'buyer');
  const count = async () =>
    (await scene.market.owner.query<{ n: string }>('SELECT count(*) AS n FROM events')).rows[0]?.n;
  const before = await count();
  await topUp(scene.market.owner, lonely.userId, 1);
  expect(await count()).toBe(before);
});

it('notifies others of the score of a listed agent that they named, and of no other event', async () => {
  const score = ['trust_score.updated'];
  const named = await receive(stranger, score, scene.agentId);
  const unnamed = await receive(stranger, score);
  const record = (isPublic: boolean, value: number) =>
    recordEvent(scene.market.container.pool, {
      type: 'trust_score.updated',
      data: { ...EVENT_EXAMPLES['trust_score.updated'], agent_id: scene.agentId, score: value },
      audience: { userIds: [scene.developer.userId], agentId: scene.agentId, public: isPublic },
    });
  await record(false, 1);
  await record(true, 80);
  expect(await next(named, 'trust_score.updated')).toMatchObject({ score: 80 });
  expect(await named.deliveries()).toHaveLength(1);
  expect(await unnamed.deliveries()).toEqual([]);
});

it.each([
  ['calls', ['invocation.succeeded']],
  ['verification', ['agent.verification_completed']],
  ['bond', ['bond.slashed']],
  ['calls, besides its score', ['trust_score.updated', 'invocation.failed']],
])("is 404 for another developer's agent: %s", async (_name, types) => {
  const url = `${hook.url}/stranger`;
  const reply = await postWebhook(scene.market, stranger, { url, types, agent_id: scene.agentId });
  expect([reply.status, reply.body.error?.code]).toEqual([404, 'not_found']);
  const mine = await receive(stranger, types);
  const patch = { agent_id: scene.agentId };
  const patched = await request(scene.market, stranger, 'PATCH', `/v1/webhooks/${mine.webhook_id}`, patch);
  expect(patched.status).toBe(404);
});

it('is 404 for the score of an agent that is not listed, and 422 for types that no agent has', async () => {
  const url = `${hook.url}/refused`;
  const post = (who: TestUser, types: string[], agentId: string) =>
    postWebhook(scene.market, who, { url, types, agent_id: agentId });
  expect((await post(stranger, ['trust_score.updated'], 'agt_nobody_v1')).status).toBe(404);
  const before = await receive(stranger, ['trust_score.updated'], scene.agentId);
  await scene.market.owner.query('UPDATE agents SET listed = false WHERE agent_id = $1', [scene.agentId]);
  expect((await post(stranger, ['trust_score.updated'], scene.agentId)).status).toBe(404);
  const path = `/v1/webhooks/${before.webhook_id}`;
  expect((await request(scene.market, stranger, 'PATCH', path, { enabled: false })).status).toBe(200);
  await scene.market.owner.query('UPDATE agents SET listed = true WHERE agent_id = $1', [scene.agentId]);
  const pointless = await post(scene.developer, ['payout.failed'], scene.agentId);
  expect([pointless.status, places(pointless)]).toEqual([422, ['types']]);
});

it.each([
  ['http', 'http://127.77.0.9/'],
  ['a private address', 'https://10.0.0.1/'],
  ['the metadata address', 'https://169.254.169.254/latest'],
  ['a name that does not resolve', 'https://nothing.invalid/'],
  ['credentials', 'https://user:secret@127.77.0.9/'],
])('refuses %s', async (_name, url) => {
  const reply = await postWebhook(scene.market, stranger, { url, types: ['credits.loaded'] });
  expect([reply.status, reply.body.error?.code, places(reply)]).toEqual([422, 'unsafe_url', ['url']]);
});

it('names every invalid field in one answer, at its creation and at its change', async () => {
  const wrong = { url: 'http://10.0.0.1/', types: ['credits.loaded', 'nonsense'], more: 1 };
  const body = { ...wrong, agent_id: scene.agentId };
  const created = await postWebhook(scene.market, scene.developer, body);
  expect([created.status, created.body.error?.code]).toEqual([422, 'validation_failed']);
  expect(places(created).sort()).toEqual(['more', 'types', 'types.1', 'url']);
  const detail = (created.body as { detail?: { loc: unknown[]; msg: string; type: string }[] }).detail;
  expect(detail?.find(({ loc }) => loc[1] === 'url')).toEqual({
    loc: ['body', 'url'],
    msg: 'The address must start with https://. (url_not_https)',
    type: 'unsafe_url',
  });
  const own = await receive(scene.developer, ['trust_score.updated'], scene.agentId);
  const path = `/v1/webhooks/${own.webhook_id}`;
  const changed = await request(scene.market, scene.developer, 'PATCH', path, {
    url: 'https://10.0.0.1/',
    types: ['payout.failed'],
    enabled: 'yes',
  });
  expect([changed.status, places(changed).sort()]).toEqual([422, ['enabled', 'types', 'url']]);
});

it.each([
  ['no types', { types: [] }, 'types'],
  ['a type twice', { types: ['credits.loaded', 'credits.loaded'] }, 'types'],
  ['a type that is none', { types: ['webhook.test'] }, 'types.0'],
  ['an unknown field', { types: ['credits.loaded'], secret: 'whsec_mine' }, 'secret'],
  ['no agent id', { types: ['credits.loaded'], agent_id: 'nonsense' }, 'agent_id'],
])('refuses %s', async (_name, more, place) => {
  const reply = await postWebhook(scene.market, stranger, { url: `${hook.url}/x`, ...more });
  expect([reply.status, places(reply)]).toEqual([422, [place]]);
});

it('has a limit of webhooks for an account', async () => {
  const many = await register(scene.market, 'buyer');
  await scene.market.owner.query(
    `INSERT INTO webhooks (webhook_id, user_id, types, sealed)
     SELECT 'whk_' || replace(uuidv7()::text, '-', ''), $1, '{credits.loaded}', '' FROM generate_series(1, 50)`,
    [many.userId],
  );
  const body = { url: `${hook.url}/x`, types: ['credits.loaded'] };
  expect((await postWebhook(scene.market, many, body)).status).toBe(409);
});
