import { once } from 'node:events';
import { connect } from 'node:net';
import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';
import { testRoutes } from '../../support/accounts/echo-route';

const PASSWORD = 'long enough';
const LIMITS = {
  RATE_LIMIT_PER_ACCOUNT: '60',
  RATE_LIMIT_INVOCATIONS: '20',
  RATE_LIMIT_PER_ADDRESS: '40',
  LOGIN_FAILURES: '5',
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
/** Each test has a client address of its own, which the trusted proxy reports. */
const newAddress = () => {
  counter += 1;
  return `203.${Math.floor(counter / 250)}.113.${counter % 250}`;
};

async function signUp() {
  counter += 1;
  const person = { email: `user${counter}@example.com`, password: PASSWORD, displayName: 'A', role: 'buyer' };
  const response = await request(first.url)
    .post('/v1/auth/register')
    .set('x-forwarded-for', newAddress())
    .send(person);
  expect(response.status).toBe(201);
  return {
    ...person,
    cookie: (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '',
  };
}

const statuses = (answers: request.Response[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
/** Tells the other processes what this one has counted, and learns what they have. One flush may be under way. */
const share = async ({ rateLimits }: TestApi) => {
  await rateLimits.flush();
  await rateLimits.flush();
};

describe('limits', () => {
  it('are shown on every answer, with the end of the minute', async () => {
    const { cookie } = await signUp();
    const address = newAddress();
    const quota = ({ headers }: request.Response) => [
      headers['x-ratelimit-limit'],
      headers['x-ratelimit-remaining'],
    ];
    const mine = await request(first.url).get('/v1/auth/me').set('cookie', cookie);
    expect(quota(mine)).toEqual(['60', '59']);
    const reset = Number(mine.headers['x-ratelimit-reset']);
    expect(reset - Date.now() / 1_000).toBeGreaterThan(50);
    expect(reset - Date.now() / 1_000).toBeLessThan(62);
    expect(mine.headers['ratelimit-policy']).toBe('"account";q=60;w=60');
    expect(mine.headers['ratelimit']).toMatch(/^"account";r=59;t=(5[1-9]|60)$/);
    const from = (call: request.Test) => call.set('x-forwarded-for', address);
    expect(quota(await from(request(first.url).get('/nope')))).toEqual(['40', '39']);
    expect(quota(await from(request(first.url).get('/v1/auth/me')))).toEqual(['40', '38']);
    expect(
      quota(await from(request(first.url).post('/v1/auth/login').set('origin', 'https://evil.example'))),
    ).toEqual(['40', '37']);
    expect(quota(await from(request(first.url).post('/v1/auth/login').send('{').type('json')))).toEqual([
      '40',
      '36',
    ]);
    expect(quota(await from(request(first.url).get('/health')))).toEqual(['40', '36']);
    expect(quota(await from(request(first.url).options('/health')))).toEqual(['40', '36']);
  });

  it('hold for an account from any address, exactly within a process', async () => {
    const { cookie } = await signUp();
    const call = () =>
      request(first.url).get('/v1/auth/me').set('cookie', cookie).set('x-forwarded-for', newAddress());
    const answers = await Promise.all(Array.from({ length: 80 }, call));
    expect(statuses(answers, 200)).toBe(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ error: { code: 'rate_limited', retryable: true } });
    expect(refused?.headers['x-ratelimit-remaining']).toBe('0');
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(50);
    expect(refused?.headers['ratelimit']).toBe(`"account";r=0;t=${refused?.headers['retry-after']}`);
    expect(statuses(answers, 429)).toBe(20);
  });

  it('are shared by the processes', async () => {
    const { cookie } = await signUp();
    const call = (api: TestApi) => request(api.url).get('/v1/auth/me').set('cookie', cookie);
    for (let n = 0; n < 60; n += 1) await call(first);
    await share(first);
    await call(second).expect(200);
    await share(second);
    await call(second).expect(429);
  });

  it('leave room for other requests when the invocations are used up', async () => {
    const { cookie } = await signUp();
    const invoke = () =>
      request(first.url).post('/v1/echo/thing_a').set('cookie', cookie).send({ input: {} });
    const answers = [];
    for (let n = 0; n < 25; n += 1) answers.push(await invoke());
    expect(statuses(answers, 200)).toBe(20);
    expect(answers.at(-1)?.headers['x-ratelimit-limit']).toBe('20');
    expect(answers.at(-1)?.headers['ratelimit-policy']).toBe('"account";q=60;w=60, "invocations";q=20;w=60');
    expect(answers.at(-1)?.headers['ratelimit']).toMatch(/^"account";r=40;t=\d+, "invocations";r=0;t=\d+$/);
    await request(first.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
  });

  it('hold for an address without authentication, however the path is spelt, and never for probes', async () => {
    const address = newAddress();
    const paths = ['/v1/auth/me', '/V1/auth/me', '/v1/auth/me/', '/nope?x=1'];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        request(first.url)
          .get(paths[n % 4] ?? '')
          .set('x-forwarded-for', address),
      ),
    );
    expect(statuses(answers, 429)).toBe(20);
    await request(first.url).get('/health').set('x-forwarded-for', address).expect(200);
    await request(first.url).get('/readiness').set('x-forwarded-for', address).expect(200);
    const { cookie } = await signUp();
    await request(first.url)
      .get('/v1/auth/me')
      .set('cookie', cookie)
      .set('x-forwarded-for', address)
      .expect(200);
  });

  it('hold for an account however the path is spelt', async () => {
    const { cookie } = await signUp();
    const paths = ['/v1/echo/thing_a', '/v1/echo/thing_a/', '/v1/echo/thing_a?limit=1', '/v1/echo/thing_%61'];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        request(first.url)
          .post(paths[n % 4] ?? '')
          .set('cookie', cookie)
          .send({ input: {} }),
      ),
    );
    expect([statuses(answers, 200), statuses(answers, 429)]).toEqual([20, 20]);
    const others = [
      '/V1/echo/thing_a',
      '//v1/echo/thing_a',
      '/v1//echo/thing_a',
      '/v1/echo/thing_a//',
      '/v1/./x',
    ];
    for (const path of others)
      await request(first.url).post(path).set('cookie', cookie).send({ input: {} }).expect(404);
  });

  it('are shown on answers to malformed requests', async () => {
    const broken = await rawAnswer(first.url, 'NONSENSE\r\n\r\n');
    expect(broken).toMatch(/^HTTP\/1\.1 400 /);
    const long = await rawAnswer(first.url, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
    for (const answer of [broken, long]) {
      expect(answer).toMatch(/\r\nx-ratelimit-limit: 40\r\n/i);
      expect(answer).toMatch(/\r\nx-ratelimit-remaining: \d+\r\n/i);
      expect(answer).toMatch(/\r\nx-ratelimit-reset: \d{10}\r\n/i);
      expect(answer).toMatch(/\r\nratelimit: "address";r=\d+;t=\d+\r\n/i);
    }
  });

  it.each([
    ['no proxy is trusted', ''],
    ['another proxy is trusted', '10.0.0.0/8'],
  ])('cannot be evaded by X-Forwarded-For when %s', async (_when, proxies) => {
    const direct = await startTestApi({ env: { ...LIMITS, TRUSTED_PROXIES: proxies } });
    try {
      const ask = () => request(direct.url).get('/nope').set('x-forwarded-for', newAddress());
      const answers = await Promise.all(Array.from({ length: 50 }, ask));
      expect(statuses(answers, 429)).toBe(10);
    } finally {
      await direct.close();
    }
  });

  it('count the address that the trusted proxy saw, not what the client wrote before it', async () => {
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        request(first.url)
          .get('/nope')
          .set('x-forwarded-for', `${newAddress()}, ${newAddress()}, ${address}`),
      ),
    );
    expect(statuses(answers, 429)).toBe(10);
    const victim = newAddress();
    const blamed = `${victim}, ${address}`;
    await request(first.url).get('/nope').set('x-forwarded-for', blamed).expect(429);
    await request(first.url).get('/nope').set('x-forwarded-for', victim).expect(404);
  });

  it('count a network of IPv6 as one address, and an address of IPv4 as itself in whatever form', async () => {
    const spellings = (n: number) => [`2001:db8:7:7::${n}`, '::ffff:198.51.100.7', '198.51.100.7'];
    const ask = (from: string) => request(first.url).get('/nope').set('x-forwarded-for', from);
    const v6 = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(spellings(n + 1)[0] ?? '')));
    expect(statuses(v6, 429)).toBe(10);
    expect(v6.at(-1)?.headers['ratelimit-policy']).toBe('"address";q=40;w=60, "address-network";q=400;w=60');
    const v4 = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(spellings(n)[1 + (n % 2)] ?? '')));
    expect(statuses(v4, 429)).toBe(10);
  });
});

/** Sends bytes and answers what comes back until the end. */
async function rawAnswer(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe('failed log-ins', () => {
  const logIn = (api: TestApi, email: string, password: string, address: string) =>
    request(api.url).post('/v1/auth/login').set('x-forwarded-for', address).send({ email, password });

  it('are refused after the fifth, even with the right password, also when they come at once to both processes', async () => {
    const person = await signUp();
    const address = newAddress();
    const guesses = Array.from({ length: 30 }, (_, n) =>
      logIn(n % 2 ? first : second, person.email, `guess ${n}`, address),
    );
    const answers = await Promise.all(guesses);
    // Each process makes its guesses for one pair one after another, so at most one more slips through per process.
    expect(statuses(answers, 401)).toBeGreaterThanOrEqual(5);
    expect(statuses(answers, 401)).toBeLessThanOrEqual(6);
    expect(statuses(answers, 429)).toBe(30 - statuses(answers, 401));
    const right = await logIn(first, person.email.toUpperCase(), PASSWORD, address);
    expect(right.status).toBe(429);
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(800);
    await logIn(first, person.email, PASSWORD, newAddress()).expect(200);
  });

  it('do not lock out an account with right passwords', async () => {
    const person = await signUp();
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => logIn(first, person.email, PASSWORD, address)),
    );
    expect(statuses(answers, 200)).toBe(12);
  });

  it('count at the change of a password too, for the account from every address', async () => {
    const person = await signUp();
    const change = (old_password: string) =>
      request(first.url)
        .post('/v1/auth/password')
        .set('cookie', person.cookie)
        .set('x-forwarded-for', newAddress())
        .send({ old_password, new_password: 'another passphrase' });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => change(`guess ${n}`)));
    expect([statuses(answers, 401), statuses(answers, 429)]).toEqual([5, 25]);
    const right = await change(PASSWORD).expect(429);
    expect(right.body).toMatchObject({ error: { code: 'rate_limited' } });
    await logIn(first, person.email, PASSWORD, newAddress()).expect(200);
  });
});
