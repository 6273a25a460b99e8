/** Callers whose requests are refused again and again wait in line, and cost no reading of sessions (ADR 0180). */
import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { newApiKey } from '../../../src/kit/crypto/api-key-format';
import { organisation } from '../../support/accounts/organisation-rows';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { testRoutes } from '../../support/accounts/echo-route';

const REFUSALS = 10;
/** The shortest time between the starts of two requests that wait in line. */
const PAUSE_MS = 50;

let api: TestApi;
beforeAll(async () => {
  const env = {
    REFUSALS_BEFORE_LINE: String(REFUSALS),
    RATE_LIMIT_PER_ACCOUNT: '60',
    RATE_LIMIT_PER_ADDRESS: '60',
    TRUSTED_PROXIES: '127.0.0.1/32',
  };
  api = await startTestApi({ env, routes: [testRoutes()] });
});
afterAll(() => api.close());

let counter = 0;
async function signUp(): Promise<string> {
  counter += 1;
  const person = {
    email: `u${counter}@example.com`,
    password: 'long enough',
    displayName: 'A',
    role: 'buyer',
  };
  const response = await request(api.url).post('/v1/auth/register').send(person).expect(201);
  return (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
}

const refused = (cookie: string) => request(api.url).post('/v1/echo/thing_a').set('cookie', cookie).send({});
const good = (cookie: string) => request(api.url).get('/v1/auth/me').set('cookie', cookie);

/** More refusals than needed: a busy machine takes so long for them that the first are forgotten in part. */
const ENOUGH = REFUSALS + 6;

async function beRefused(cookie: string, times = ENOUGH): Promise<void> {
  for (let n = 0; n < times; n += 1) await refused(cookie).expect(422);
}

/** Sends so many requests at once. Returns their responses, and how long each and all of them took. */
async function burst(cookie: string, count: number) {
  const beganAt = performance.now();
  const tookMs = () => performance.now() - beganAt;
  const one = async () => Object.assign(await good(cookie), { tookMs: tookMs() });
  return { responses: await Promise.all(Array.from({ length: count }, one)), tookMs: tookMs() };
}

it('starts the requests of a caller that is refused again and again one after another, and those of others at once', async () => {
  const [hostile, honest] = [await signUp(), await signUp()];
  await beRefused(hostile);
  const line = burst(hostile, 15);
  const { responses } = await burst(honest, 15);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const isOver = await Promise.race([line.then(() => true), Promise.resolve(false)]);
  expect(isOver).toBe(false);
  const { responses: slow, tookMs } = await line;
  expect(new Set(slow.map(({ status }) => status))).toEqual(new Set([200]));
  expect(tookMs).toBeGreaterThan(14 * PAUSE_MS);
});

it('refuses requests beyond the length of the queue after a second, without a point of any other limit', async () => {
  const cookie = await signUp();
  await beRefused(cookie);
  const { responses } = await burst(cookie, 30);
  const crowded = responses.filter(({ status }) => status === 429);
  expect(crowded.length).toBeGreaterThanOrEqual(5);
  expect(crowded[0]?.body).toMatchObject({ error: { code: 'concurrency_limited', retryable: true } });
  expect(crowded[0]?.headers['retry-after']).toBe('5');
  expect(Math.min(...crowded.map((response) => response.tookMs))).toBeGreaterThan(990);
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
});

it('never delays a caller that is refused less than half of the time', async () => {
  const cookie = await signUp();
  await refused(cookie).expect(422);
  for (let n = 0; n < 2; n += 1) {
    await burst(cookie, 12);
    await beRefused(cookie, 5);
  }
  const { responses } = await burst(cookie, 20);
  // In line, each answer would come a pause after the one before; a busy machine delays a few of them.
  const times = responses.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const pauses = times.slice(1).filter((time, at) => time - (times[at] ?? 0) >= PAUSE_MS);
  expect(pauses.length).toBeLessThan(10);
});

describe('a client that is refused without a valid credential', () => {
  const invented = () => `amt_${randomBytes(32).toString('base64url')}`;
  const send = (method: string, path: string, headers: () => Record<string, string>) => {
    const address = `203.0.113.${++counter}`;
    const body = method === 'POST' ? '{' : null;
    return async () => {
      const sent = { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers() };
      return fetch(api.url + path, { method, body, headers: sent });
    };
  };

  it.each<[string, string, string, () => Record<string, string>]>([
    ['for a path that does not exist', 'GET', '/v1/nothing', () => ({})],
    [
      'for a path that does not exist, with a key',
      'GET',
      '/v1/nothing',
      () => ({ 'x-api-key': newApiKey() }),
    ],
    ['for a path that cannot be read', 'GET', '/v1/agents/%E0%A4%A', () => ({})],
    ['for a method that does not exist', 'DELETE', '/v1/auth/me', () => ({})],
    ['for a page of the documentation that does not exist', 'GET', '/docs/nothing', () => ({})],
    ['with text as a key', 'POST', '/v1/echo/thing_a', () => ({ 'x-api-key': 'a' })],
    ['with invented keys', 'POST', '/v1/echo/thing_a', () => ({ 'x-api-key': newApiKey() })],
    ['with invented tokens', 'GET', '/v1/auth/me', () => ({ authorization: `Bearer ${invented()}` })],
    ['with forged sessions', 'GET', '/v1/auth/me', () => ({ cookie: `market_session=s%3A${invented()}.x` })],
    [
      'with forged sessions that delete a key',
      'DELETE',
      '/v1/keys/key_x',
      () => ({ cookie: `market_session=s%3A${invented()}.x` }),
    ],
    ['with a body that cannot be read', 'POST', '/v1/auth/login', () => ({})],
  ])('waits in the queue %s', async (_what, method, path, headers) => {
    const attempt = send(method, path, headers);
    for (let n = 0; n < ENOUGH; n += 1) {
      const { status } = await attempt();
      expect([400, 401, 404, 405]).toContain(status);
    }
    const beganAt = performance.now();
    await Promise.all(Array.from({ length: 10 }, attempt));
    expect(performance.now() - beganAt).toBeGreaterThan(9 * PAUSE_MS);
  });

  it('costs no query for an invented key once its address has no points', async () => {
    const attempt = send('POST', '/v1/echo/thing_a', () => ({ 'x-api-key': newApiKey() }));
    while ((await attempt()).status !== 429);
    const query = jest.spyOn(api.pool, 'query');
    for (let n = 0; n < 5; n += 1) expect((await attempt()).status).toBe(429);
    const reads = query.mock.calls.filter(([text]) => JSON.stringify(text).includes('api_key_secrets'));
    query.mockRestore();
    expect(reads).toEqual([]);
  });

  it('waits in one queue for all addresses of a /48', async () => {
    const from = (n: number) => ({ 'x-forwarded-for': `2001:db8:77:${n.toString(16)}::1` });
    const attempt = (n: number) => fetch(`${api.url}/v1/nothing`, { headers: from(n) });
    const together = (first: number, count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => attempt(first + n)));
    // Together, because the first of so many refusals one after another are forgotten in part.
    for (let first = 0; first < 14 * REFUSALS; first += 20) await together(first, 20);
    const beganAt = performance.now();
    await together(1_000, 10);
    expect(performance.now() - beganAt).toBeGreaterThan(9 * PAUSE_MS);
  });
});

it('does not delay an account whose address is refused again and again', async () => {
  const cookie = await signUp();
  await good(cookie).expect(200);
  for (let n = 0; n < ENOUGH; n += 1) await request(api.url).get('/v1/nothing').expect(404);
  const { responses, tookMs } = await burst(cookie, 20);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(tookMs).toBeLessThan(19 * PAUSE_MS);
});

it('never delays health probes', async () => {
  for (let n = 0; n < 12; n += 1) await request(api.url).post('/v1/auth/login').send({}).expect(422);
  const anonymous = request(api.url);
  const beganAt = performance.now();
  await Promise.all(Array.from({ length: 30 }, () => anonymous.get('/health').expect(200)));
  expect(performance.now() - beganAt).toBeLessThan(29 * PAUSE_MS);
});

it('refuses a caller without points before it reads the session', async () => {
  const cookie = await signUp();
  for (let n = 0; n < 60; n += 1) await good(cookie).expect(200);
  await good(cookie).expect(429);
  await api.pool.query('DELETE FROM sessions');
  const again = await good(cookie);
  expect(again.status).toBe(429);
  expect(again.headers['x-ratelimit-limit']).toBe('60');
  expect(again.headers['x-ratelimit-remaining']).toBe('0');
});

describe('members of one organisation', () => {
  const actFor = (orgId: string, cookie: string, body: object = { input: {} }) =>
    request(api.url).post('/v1/echo/thing_a').set('cookie', cookie).set('x-owner', orgId).send(body);

  async function company(count: number) {
    const cookies: string[] = [];
    for (let n = 0; n < count; n += 1) cookies.push(await signUp());
    const ids = await Promise.all(
      cookies.map(async (cookie) => ((await good(cookie).expect(200)).body as { user_id: string }).user_id),
    );
    const [first = ''] = ids;
    const orgId = await organisation({ owner: api.pool }, { owner: { userId: first } });
    await api.pool.query(
      `INSERT INTO organisation_members (org_id, user_id, role) SELECT $1, id, 'buyer' FROM unnest($2::text[]) id`,
      [orgId, ids.slice(1)],
    );
    return { orgId, cookies };
  }

  it('wait in one line, however many of them are refused, and not for themselves', async () => {
    const { orgId, cookies } = await company(4);
    for (let n = 0; n < 5; n += 1) for (const cookie of cookies) await actFor(orgId, cookie, {}).expect(422);
    const [first = '', second = ''] = cookies;
    const beganAt = performance.now();
    const tookMs = async (work: PromiseLike<unknown>) => (await work, performance.now() - beganAt);
    const acts = Array.from({ length: 12 }, (_, n) => tookMs(actFor(orgId, cookies[n % 4] ?? first)));
    const own = await tookMs(good(second).expect(200));
    expect(Math.max(...(await Promise.all(acts)))).toBeGreaterThan(11 * PAUSE_MS);
    expect(own).toBeLessThan(8 * PAUSE_MS);
  });

  it('are refused before their session is read once their organisation has no points, and have those of their own', async () => {
    const { orgId, cookies } = await company(3);
    const [first = '', second = '', third = ''] = cookies;
    for (const cookie of cookies) await actFor(orgId, cookie).expect(200);
    for (let n = 0; n < 57; n += 1) await actFor(orgId, first).expect(200);
    await actFor(orgId, second).expect(429);
    await good(second).expect(200);
    await api.pool.query('DELETE FROM sessions');
    await actFor(orgId, second).expect(429);
    await actFor(orgId, third).expect(429);
    await good(third).expect(401);
  });

  it('use the points of their organisation for what their role does not permit', async () => {
    const { orgId, cookies } = await company(2);
    const [, buyer = ''] = cookies;
    const forbidden = await request(api.url)
      .post('/v1/keys')
      .set('cookie', buyer)
      .set('x-owner', orgId)
      .send({});
    expect(forbidden.headers['x-ratelimit-remaining']).toBe('59');
  });
});

it('reads four credentials at once that it does not know, from any number of addresses', async () => {
  const newcomers = Array.from({ length: 40 }, () => newApiKey());
  const { query } = api.pool;
  let [running, most] = [0, 0];
  const spy = jest.spyOn(api.pool, 'query').mockImplementation((...args: unknown[]) => {
    const reply = Reflect.apply(query, api.pool, args) as unknown;
    if (!JSON.stringify(args[0]).includes('api_key_secrets')) return reply;
    running += 1;
    most = Math.max(most, running);
    return (reply as Promise<unknown>).finally(() => (running -= 1));
  });
  const reads = newcomers.map((key, n) =>
    fetch(`${api.url}/v1/echo/thing_a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, 'x-forwarded-for': `198.51.100.${n}` },
      body: '{"input":{}}',
    }),
  );
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([401]));
  spy.mockRestore();
  expect(most).toBe(4);
});
