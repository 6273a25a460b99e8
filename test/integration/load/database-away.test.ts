import { Client } from 'pg';
import request from 'supertest';
import { withClient } from '../../../src/runtime/postgres/database';
import { isDatabaseUnavailable, withTransaction } from '../../../src/stores/db';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { testStack } from '../../support/stack/database';
import { superuserUrl } from '../../support/stack/stack';
import { startTcpProxy, type TcpProxy } from '../../support/stack/tcp-proxy';

const PERSON = { email: 'a@example.com', password: 'long enough', displayName: 'A', role: 'buyer' };
const CREDENTIALS = { email: PERSON.email, password: PERSON.password };

let proxy: TcpProxy;
let api: TestApi;
let cookie: string;

beforeAll(async () => {
  proxy = await startTcpProxy(testStack().postgresPort);
  api = await startTestApi({
    throughPort: proxy.port,
    checks: { postgres: () => api.pool.query('SELECT 1') },
  });
  const response = await request(api.url).post('/v1/auth/register').send(PERSON).expect(201);
  cookie = (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
});
afterAll(async () => {
  proxy.mode('refuse');
  await api.close();
  await proxy.close();
});

async function timed(
  call: request.Test,
): Promise<{ status: number; code: string | undefined; seconds: number }> {
  const startedAt = Date.now();
  const response = await call;
  const body = response.body as { error?: { code: string; retryable: boolean } };
  return { status: response.status, code: body.error?.code, seconds: (Date.now() - startedAt) / 1_000 };
}

describe.each([
  ['refuses connections', 'refuse'],
  ['hangs', 'hang'],
] as const)('while Postgres %s', (_what, mode) => {
  it('every request is 503 within 5 s, and all is well as soon as it is back', async () => {
    await request(api.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
    proxy.mode(mode);
    const calls = [
      () => request(api.url).get('/v1/auth/me').set('cookie', cookie),
      () => request(api.url).post('/v1/auth/login').send(CREDENTIALS),
      () =>
        request(api.url)
          .post('/v1/auth/register')
          .send({ ...PERSON, email: 'b@example.com' }),
      () => request(api.url).post('/v1/auth/logout').set('cookie', cookie),
    ];
    for (let round = 0; round < 2; round += 1) {
      for (const answer of await Promise.all(calls.map((call) => timed(call())))) {
        expect(answer).toMatchObject({ status: 503, code: 'not_ready' });
        expect(answer.seconds).toBeLessThan(5);
      }
    }
    const readiness = await request(api.url).get('/readiness').expect(503);
    expect(readiness.body).toMatchObject({ checks: { postgres: 'failed' } });
    await request(api.url).get('/health').expect(200);
    await request(api.url).get('/v1/auth/me').expect(401);

    proxy.mode('refuse');
    proxy.mode('forward');
    await request(api.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
    await request(api.url).post('/v1/auth/login').send(CREDENTIALS).expect(200);
    await request(api.url).get('/readiness').expect(200);
  });
});

describe('while a statement has to wait', () => {
  it('the request is 503 within 5 s, and nothing stays behind', async () => {
    const other = new Client({ connectionString: api.database.ownerUrl });
    await other.connect();
    try {
      await other.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
      const answer = await timed(request(api.url).post('/v1/auth/login').send(CREDENTIALS));
      expect(answer).toMatchObject({ status: 503, code: 'not_ready' });
      expect(answer.seconds).toBeLessThan(5);
    } finally {
      await other.end();
    }
    await request(api.url).post('/v1/auth/login').send(CREDENTIALS).expect(200);
  });
});

describe('when Postgres ends a connection between two statements of a transaction', () => {
  it('the transaction fails, the process lives, and the next one gets another connection', async () => {
    const work = withTransaction(api.pool, async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const ended = new Promise((resolve) => (tx as Client).once('end', resolve));
      await withClient(superuserUrl(testStack().postgresPort), (admin) =>
        admin.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]),
      );
      await ended;
      await tx.query('SELECT 1');
    });
    const error: unknown = await work.catch((failure: unknown) => failure);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await withTransaction(api.pool, (tx) => tx.query('SELECT 1'));
  });
});
