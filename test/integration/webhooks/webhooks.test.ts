/** Webhooks of an account: made, signed, rotated, tried, switched off, and asked for again (contract, "Webhooks"). */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { verifyWebhook } from '../../../packages/client/src';
import { recordEvent } from '../../../src/stores/webhooks/outbox';
import { testCertificates } from '../../support/agents/authority';
import { makeKey } from '../../support/accounts/keys';
import { keptMarket } from '../../support/kept-market';
import { eventually, register, type TestMarket, type TestUser } from '../../support/market';
import { startHookServer, type HookServer, type Told } from '../../support/webhooks/hook-server';
import { request } from '../../support/catalogue/publishing';
import {
  type DeliveryReply,
  postWebhook,
  redeliver,
  startReceiver,
  toldTimes,
  verify,
  type WebhookView,
} from '../../support/webhooks/webhooks';

const TYPES = ['credits.loaded'];

let market: TestMarket;
let hook: HookServer;
let user: TestUser;
beforeAll(async () => {
  [market, hook] = await Promise.all([keptMarket(), startHookServer()]);
  user = await register(market, 'buyer');
});
afterAll(async () => {
  await hook.stop();
  await market.stop();
});

const load = (credits: number, who = user) =>
  recordEvent(market.container.pool, {
    type: 'credits.loaded',
    data: { credits },
    audience: { userIds: [who.userId] },
  });
const at = (webhookId: string, rest = '') => `/v1/webhooks/${webhookId}${rest}`;
const status = async (method: string, path: string) =>
  (await fetch(market.url + path, { method, headers: { cookie: user.cookie } })).status;

it('shows the secret once, and never stores address or secret in the clear', async () => {
  const made = await postWebhook(market, user, { url: `${hook.url}/CANARY-path`, types: TYPES });
  expect(made).toMatchObject({
    status: 201,
    body: { url: `${hook.url}/CANARY-path`, types: TYPES, agent_id: null, enabled: true },
  });
  const { webhook_id: id, secret } = made.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(made.body.public_key).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  const shown = await request<WebhookView>(market, user, 'GET', at(id));
  const listed = await request<{ items: WebhookView[]; total: number }>(market, user, 'GET', '/v1/webhooks');
  const changed = await request<WebhookView>(market, user, 'PATCH', at(id), { types: ['payout.failed'] });
  expect(shown.body).toMatchObject({ url: `${hook.url}/CANARY-path`, public_key: made.body.public_key });
  expect(listed.body).toMatchObject({ items: [{ webhook_id: id }], total: 1 });
  expect(changed.body).toMatchObject({ types: ['payout.failed'], url: `${hook.url}/CANARY-path` });
  expect(JSON.stringify([shown, listed, changed])).not.toMatch(/whse?[ck]_/);
  const { rows } = await market.owner.query<{ row: string }>('SELECT w::text AS row FROM webhooks w');
  const stored = rows.map(({ row }) =>
    Buffer.from(row.replace(/.*\\x([0-9a-f]+).*/s, '$1'), 'hex').toString(),
  );
  for (const text of [...stored, ...rows.map(({ row }) => row)])
    expect(text).not.toMatch(/CANARY|whse?[ck]_/);
  expect(await status('DELETE', at(id))).toBe(204);
  expect(await status('GET', at(id))).toBe(404);
  expect(await status('DELETE', at(id))).toBe(404);
});

it('delivers what the library verifies, and shows the delivery to its owner', async () => {
  const receiver = await startReceiver(market, user, hook, { types: TYPES });
  const eventId = await load(12.5);
  const [told] = await toldTimes(receiver, 1);
  if (!told) throw new Error('nothing came');
  const body = verify(receiver.secret, told);
  expect(body).toEqual({
    type: 'credits.loaded',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    data: { credits: 12.5 },
  });
  expect(told.headers).toMatchObject({ 'webhook-id': eventId, 'content-type': 'application/json' });
  expect(told.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1a,[A-Za-z0-9+/]{86}==$/);
  await verifyPublicly(receiver.public_key, told);
  expect(() => verify(receiver.secret, { ...told, text: told.text.replace('12.5', '99.5') })).toThrow();
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
  expect(await receiver.deliveries()).toMatchObject([
    { event_id: eventId, status: 'delivered', body, attempts: [{ attempt: 1, status: 204, error: null }] },
  ]);
});

/** Verifies a delivery by the typed client with a public key alone. */
const verifyPublicly = (publicKey: string | null, { text, headers }: Told) =>
  verifyWebhook({ secret: publicKey ?? '', body: text, headers });

it('signs with both secrets and key pairs while they are exchanged, and with one of each when the grace is 0', async () => {
  const receiver = await startReceiver(market, user, hook, { types: TYPES });
  const rotated = await request<WebhookView>(
    market,
    user,
    'POST',
    at(receiver.webhook_id, '/rotate-secret'),
    {},
  );
  expect(Date.parse(rotated.body.previous_secret_expires_at ?? '')).toBeGreaterThan(Date.now() + 86_000_000);
  await load(1);
  const [both] = await toldTimes(receiver, 1);
  if (!both) throw new Error('nothing came');
  expect(both.headers['webhook-signature']?.toString().split(' ')).toHaveLength(4);
  for (const secret of [receiver.secret, rotated.body.secret]) verify(secret, both);
  for (const key of [receiver.public_key, rotated.body.public_key]) await verifyPublicly(key, both);
  const last = await request<WebhookView>(market, user, 'POST', at(receiver.webhook_id, '/rotate-secret'), {
    grace_seconds: 0,
  });
  expect(last.body.previous_secret_expires_at).toBeNull();
  await load(2);
  const [, one] = await toldTimes(receiver, 2);
  if (!one) throw new Error('nothing came');
  expect(one.headers['webhook-signature']?.toString().split(' ')).toHaveLength(2);
  verify(last.body.secret, one);
  for (const secret of [receiver.secret, rotated.body.secret]) expect(() => verify(secret, one)).toThrow();
  await verifyPublicly(last.body.public_key, one);
  await expect(verifyPublicly(rotated.body.public_key, one)).rejects.toThrow('signature');
});

it('refuses a rotation after which too many secrets would sign', async () => {
  const receiver = await startReceiver(market, user, hook, { types: TYPES });
  const rotate = () => request(market, user, 'POST', at(receiver.webhook_id, '/rotate-secret'), {});
  const replies = [await rotate(), await rotate(), await rotate()];
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 409]);
});

it('tests an endpoint, and sends the same event again on demand', async () => {
  const receiver = await startReceiver(market, user, hook, { types: TYPES });
  const test = await request<DeliveryReply>(market, user, 'POST', at(receiver.webhook_id, '/test'));
  expect(test).toMatchObject({ status: 202, body: { status: 'pending', body: { type: 'webhook.test' } } });
  const [first] = await toldTimes(receiver, 1);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
  const again = await redeliver(market, user, receiver.webhook_id, test.body.delivery_id);
  expect(again).toMatchObject({ status: 202, body: { status: 'pending' } });
  const [, second] = await toldTimes(receiver, 2);
  if (!first || !second) throw new Error('not told twice');
  expect([second.text, second.headers['webhook-id']]).toEqual([first.text, first.headers['webhook-id']]);
  verify(receiver.secret, second);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
  const [delivery] = await receiver.deliveries();
  expect(delivery?.attempts.map(({ attempt, status: answer }) => [attempt, answer])).toEqual([
    [1, 204],
    [2, 204],
  ]);
});

it('says what was answered and when the next attempt comes; sends at once on demand instead', async () => {
  const receiver = await startReceiver(market, user, hook, { types: TYPES });
  hook.answerWith(receiver.path, { status: 500, body: `no\n${receiver.secret} ${'x'.repeat(900)}` });
  await load(3);
  await eventually(async () => (await receiver.deliveries())[0]?.attempts[0]?.status === 500);
  const [waiting] = await receiver.deliveries();
  expect(waiting?.status).toBe('pending');
  const [attempt] = waiting?.attempts ?? [];
  expect(attempt?.answer).toMatch(/^no ••• x{490,}…$/);
  // The first pause of the schedule is 5 s.
  const nextInMs = Date.parse(waiting?.next_attempt_at ?? '') - Date.parse(attempt?.at ?? '');
  expect(Math.round(nextInMs / 100)).toBe(50);
  const askedAt = Date.now();
  await redeliver(market, user, receiver.webhook_id, waiting?.delivery_id ?? '');
  const [first, second] = await toldTimes(receiver, 2);
  expect((second?.at ?? Infinity) - askedAt).toBeLessThan(4_500);
  await eventually(async () => Date.now() > (first?.at ?? 0) + 6_000, 15_000);
  expect(receiver.told()).toHaveLength(2);
  const [done] = await receiver.deliveries();
  expect(done).toMatchObject({ status: 'delivered', next_attempt_at: null });
  expect(done?.attempts.at(-1)?.answer).toBeNull();
});

it('disables an endpoint that answers 410, and enables it again on request of its owner', async () => {
  const receiver = await startReceiver(market, user, hook, { types: TYPES });
  hook.answerWith(receiver.path, 410);
  await load(4);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'gone');
  const off = await request<WebhookView>(market, user, 'GET', at(receiver.webhook_id));
  expect(off.body).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  const notices = await request<{ items: object[] }>(market, user, 'GET', '/v1/notices');
  expect(notices.body.items).toContainEqual(
    expect.objectContaining({
      type: 'webhook.disabled',
      subject_id: receiver.webhook_id,
      message: expect.stringContaining('410 Gone') as string,
    }),
  );
  await load(5);
  expect(await receiver.deliveries()).toHaveLength(1);
  const deliveryId = (await receiver.deliveries())[0]?.delivery_id ?? '';
  expect((await request(market, user, 'POST', at(receiver.webhook_id, '/test'))).status).toBe(409);
  expect((await redeliver(market, user, receiver.webhook_id, deliveryId)).status).toBe(409);
  const on = await request<WebhookView>(market, user, 'PATCH', at(receiver.webhook_id), { enabled: true });
  expect(on.body).toMatchObject({ enabled: true, disabled_reason: null });
  await redeliver(market, user, receiver.webhook_id, deliveryId);
  await toldTimes(receiver, 2);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
});

it('pages through deliveries and webhooks, and filters by status', async () => {
  const other = await register(market, 'buyer');
  const receiver = await startReceiver(market, other, hook, { types: TYPES });
  for (const credits of [1, 2, 3]) await load(credits, other);
  await eventually(async () => (await receiver.deliveries()).every((each) => each.status === 'delivered'));
  interface Page {
    items: DeliveryReply[];
    next_cursor: string | null;
    total: number;
  }
  const list = (query: string) =>
    request<Page>(market, other, 'GET', at(receiver.webhook_id, `/deliveries?${query}`));
  const first = await list('limit=2&status=delivered');
  const second = await list(`limit=2&status=delivered&cursor=${first.body.next_cursor}`);
  const credits = [...first.body.items, ...second.body.items].map(({ body }) => body.data['credits']);
  expect([credits, first.body.total, second.body.next_cursor]).toEqual([[3, 2, 1], 3, null]);
  expect((await list('status=failed')).body).toMatchObject({ items: [], total: 0 });
  expect((await list(`cursor=${first.body.next_cursor}`)).status).toBe(422);
  expect((await list('status=lost')).status).toBe(422);
});

it('accepts keys of its scope, and no others', async () => {
  const keys = await Promise.all(
    (['webhooks:manage', 'billing:read'] as const).map((scope) => makeKey(market, user, { scopes: [scope] })),
  );
  const replies = await Promise.all(
    keys.map(({ key }) => fetch(`${market.url}/v1/webhooks`, { headers: { 'x-api-key': key } })),
  );
  expect(replies.map((reply) => reply.status)).toEqual([200, 403]);
});

it('has an example of a receiver that runs', async () => {
  const { authority } = await testCertificates();
  const home = mkdtempSync(path.join(tmpdir(), 'webhooks-'));
  const accounts = { buyer: { email: user.email, password: 'correct horse battery' } };
  mkdirSync(path.join(home, 'tls'));
  writeFileSync(path.join(home, 'runtime.json'), JSON.stringify({ api_url: market.url, accounts }));
  writeFileSync(path.join(home, 'tls/ca.pem'), authority.certPem);
  writeFileSync(path.join(home, 'tls/ca-key.pem'), authority.keyPem);
  const script = path.join(__dirname, '../../../examples/webhooks/receive.mjs');
  const env = { ...process.env, MARKET_HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
  rmSync(home, { recursive: true });
  expect(stdout).toMatch(/^listening as whk_/);
  expect(stdout).toContain('webhook.test {"webhook_id":"whk_');
  expect(stdout).toMatch(/credits\.loaded {.*"credits":1,.*}/);
  expect(stdout).toMatch(/deliveries: 2\n$/);
  expect(stdout).not.toContain('refused');
});
