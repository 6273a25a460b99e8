/** Limits of API keys: a request by a key counts against the key and its account, in every process. */
import request from 'supertest';
import { newApiKey } from '../../../src/kit/crypto/api-key-format';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';
import { testRoutes } from '../../support/accounts/echo-route';
import { makeKey, type TestKey } from '../../support/accounts/keys';

const LIMITS = {
  RATE_LIMIT_PER_ACCOUNT: '60',
  RATE_LIMIT_INVOCATIONS: '30',
  RATE_LIMIT_PER_KEY: '25',
  RATE_LIMIT_KEY_INVOCATIONS: '15',
  RATE_LIMIT_PER_ADDRESS: '40',
};

let database: TestDatabase;
let first: TestApi;
let second: TestApi;
beforeAll(async () => {
  database = await createTestDatabase();
  const options = { database, env: { ...LIMITS, TRUSTED_PROXIES: '127.0.0.1' }, routes: [testRoutes()] };
  [first, second] = await Promise.all([startTestApi(options), startTestApi(options)]);
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await database.drop();
});

let counter = 0;
const newAddress = () => {
  counter += 1;
  return `203.${Math.floor(counter / 250)}.113.${counter % 250}`;
};

async function signUp(): Promise<{ cookie: string }> {
  counter += 1;
  const response = await request(first.url)
    .post('/v1/auth/register')
    .set('x-forwarded-for', newAddress())
    .send({ email: `user${counter}@example.com`, password: 'long enough', displayName: 'A', role: 'buyer' });
  return { cookie: (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '' };
}

const read = (key: string, at = first) =>
  request(at.url).get('/openapi.json').set('x-api-key', key).set('x-forwarded-for', newAddress());
const call = (key: string, at = first) =>
  request(at.url).post('/v1/echo/thing_a').set('x-api-key', key).send({ input: {} });
const times = <T>(n: number, make: (at: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: n }, (_, at) => make(at)));
const count = (answers: request.Response[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
/** Tells the other processes what this one has counted, and learns what they have. One flush may be under way. */
const share = async ({ rateLimits }: TestApi) => {
  await rateLimits.flush();
  await rateLimits.flush();
};

it('hold for a key, are shown, and leave other keys of the account alone', async () => {
  const person = await signUp();
  const [one, other] = [
    await makeKey(first, person, { scopes: ['agents:read'] }),
    await makeKey(first, person, { scopes: ['agents:read'] }),
  ];
  const answer = await read(one.key);
  expect([answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]).toEqual([
    '25',
    '24',
  ]);
  const answers = await times(40, () => read(one.key));
  expect([count(answers, 200), count(answers, 429)]).toEqual([24, 16]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({ 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '0' });
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(50);
  await read(other.key).expect(200);
});

it('are in the list of keys with what each key has used in this minute, in every process', async () => {
  const person = await signUp();
  const [busy, idle] = [
    await makeKey(first, person, { scopes: ['agents:invoke', 'agents:read'] }),
    await makeKey(first, person, { scopes: ['agents:read'] }),
  ];
  await times(3, () => call(busy.key));
  await read(busy.key).expect(200);
  await share(first);
  const { body } = await request(second.url).get('/v1/keys').set('cookie', person.cookie).expect(200);
  const limitsOf = ({ key_id: id }: TestKey) =>
    (body as { items: { key_id: string; rate_limits: object }[] }).items.find((one) => one.key_id === id)
      ?.rate_limits;
  expect(limitsOf(busy)).toEqual({
    requests: { per_minute: 25, used: 4 },
    invocations: { per_minute: 15, used: 3 },
  });
  expect(limitsOf(idle)).toEqual({
    requests: { per_minute: 25, used: 0 },
    invocations: { per_minute: 15, used: 0 },
  });
});

it('hold for the account, however many keys it has; refused requests of a key do not count against it', async () => {
  const person = await signUp();
  const keys: TestKey[] = [];
  for (let n = 0; n < 3; n += 1) keys.push(await makeKey(first, person, { scopes: ['agents:read'] }));
  // Three of the account's 60 were spent on making the keys.
  const byOne = await times(100, () => read(keys[0]?.key ?? ''));
  expect(count(byOne, 200)).toBe(25);
  const byAll = await times(60, (n) => read(keys[1 + (n % 2)]?.key ?? ''));
  expect(count(byAll, 200)).toBe(32);
  expect(byAll.find(({ status }) => status === 429)?.headers['x-ratelimit-limit']).toBe('60');
});

it('are shared by the processes', async () => {
  const { key } = await makeKey(first, await signUp(), { scopes: ['agents:read'] });
  for (let n = 0; n < 25; n += 1) await read(key).expect(200);
  await share(first);
  await read(key, second).expect(200);
  await share(second);
  await read(key, second).expect(429);
});

it('are lower for invocations, and leave room for other requests', async () => {
  const person = await signUp();
  const { key } = await makeKey(first, person, { scopes: ['agents:invoke', 'agents:read'] });
  const answers = await times(24, () => call(key));
  expect(count(answers, 200)).toBe(15);
  await read(key).expect(200);
  const byHand = await times(20, () =>
    request(first.url).post('/v1/echo/thing_a').set('cookie', person.cookie).send({ input: {} }),
  );
  expect(count(byHand, 200)).toBe(15);
});

it('count refused requests of a key against the key, and invalid keys against the address', async () => {
  const { key } = await makeKey(first, await signUp(), { scopes: ['billing:read'] });
  const refused = await times(30, () => call(key));
  expect([count(refused, 403), count(refused, 429)]).toEqual([25, 5]);
  const address = newAddress();
  const guess = () => call(newApiKey()).set('x-forwarded-for', address);
  const guesses = await times(50, guess);
  expect([count(guesses, 401), count(guesses, 429)]).toEqual([40, 10]);
});

it('never keep an owner from deleting a key that sends too many requests', async () => {
  const person = await signUp();
  const { key, key_id: keyId } = await makeKey(first, person, { scopes: ['agents:read'] });
  await times(25, () => read(key));
  await times(50, () => request(first.url).get('/v1/auth/me').set('cookie', person.cookie));
  await request(first.url).get('/v1/keys').set('cookie', person.cookie).expect(429);
  await request(first.url).delete(`/v1/keys/${keyId}`).set('cookie', person.cookie).expect(204);
});
