import { connect } from 'node:net';
import { Writable } from 'node:stream';
import pino from 'pino';
import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { testRoutes } from '../../support/accounts/echo-route';

const PERSON = { email: 'a@example.com', password: 'long enough', displayName: 'A', role: 'buyer' };
const gate: { open: () => void; wait: () => Promise<void>; reached: () => void } = {
  open: () => undefined,
  reached: () => undefined,
  wait: () => {
    gate.reached();
    return new Promise((resolve) => (gate.open = resolve));
  },
};
const logLines: string[] = [];
const logger = pino(
  { level: 'info' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      logLines.push(chunk.toString());
      done();
    },
  }),
);

let api: TestApi;
let cookie: string;
beforeAll(async () => {
  api = await startTestApi({
    routes: [testRoutes(gate)],
    logger,
    limits: { headersTimeout: 300, requestTimeout: 800, connectionsCheckingInterval: 100 },
  });
  const response = await request(api.url).post('/v1/auth/register').send(PERSON).expect(201);
  cookie = cookieOf(response);
});
afterAll(() => api.close());

function cookieOf(response: request.Response): string {
  return (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
}

const codeOf = (response: { body: unknown }) => (response.body as { error: { code: string } }).error.code;

describe('every answer', () => {
  it('continues a valid trace and begins one otherwise', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traced = await request(api.url).get('/health').set('traceparent', `00-${id}-00f067aa0ba902b7-01`);
    expect(traced.headers['x-trace-id']).toBe(id);
    for (const header of [
      'nonsense',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `ff-${id}-00f067aa0ba902b7-01`,
      `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
    ]) {
      const { headers } = await request(api.url).get('/health').set('traceparent', header);
      expect(headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
      expect(headers['x-trace-id']).not.toBe(id);
    }
  });

  it('does not reveal its software, and may not be cached, sniffed or framed', async () => {
    for (const path of ['/health', '/v1/auth/me', '/nope']) {
      const { headers } = await request(api.url).get(path);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers['etag']).toBeUndefined();
    }
  });
});

describe('a method that a path does not have', () => {
  it('is 405 with the methods that the path has', async () => {
    const response = await request(api.url).delete('/v1/auth/me');
    expect(response.status).toBe(405);
    expect(codeOf(response)).toBe('method_not_allowed');
    expect(response.headers['allow']).toBe('GET, PATCH, HEAD, OPTIONS');
    const options = await request(api.url).options('/v1/auth/login').expect(204);
    expect(options.headers['allow']).toBe('POST, OPTIONS');
  });

  it('HEAD answers as GET does, without a body', async () => {
    const response = await request(api.url).head('/health').expect(200);
    expect(response.text).toBeUndefined();
  });
});

describe('unsafe requests from another site', () => {
  const post = (headers: Record<string, string>) => {
    const call = request(api.url).post('/v1/echo/thing_a').set('cookie', cookie).set(headers);
    return call.send({ input: {} });
  };

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'http://market.example' }],
    [{ origin: 'https://market.example.evil.example' }],
    [{ origin: 'null' }],
  ])('are refused: %j', async (headers) => {
    const response = await post(headers);
    expect(response.status).toBe(403);
    expect(codeOf(response)).toBe('cross_site_request');
  });

  it.each([
    [{}],
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ origin: 'https://market.example' }],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://market.example' }],
  ])('are accepted from own pages and programs: %j', async (headers) => {
    await post(headers).expect(200);
  });

  it('change nothing: a foreign form cannot log a person out', async () => {
    const form = request(api.url)
      .post('/v1/auth/logout')
      .set('cookie', cookie)
      .type('form')
      .set('origin', 'https://evil.example');
    await form.send('a=b').expect(403);
    await request(api.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
  });

  it('are refused for changes only, not for reads', async () => {
    await request(api.url).get('/health').set('sec-fetch-site', 'cross-site').expect(200);
  });
});

describe('a caller without authentication', () => {
  it('gets 401 before anything else of the request is examined', async () => {
    for (const path of ['/v1/echo/thing_a', '/v1/echo/no-such-thing']) {
      const response = await request(api.url).post(path).send('{not json').set('content-type', 'text/plain');
      expect(response.status).toBe(401);
      expect(codeOf(response)).toBe('not_authenticated');
    }
  });

  it('gets 401 with an API key that does not exist', async () => {
    await request(api.url)
      .post('/v1/echo/thing_a')
      .set('x-api-key', 'amk_live_x')
      .set('cookie', cookie)
      .send({ input: {} })
      .expect(401);
  });
});

describe('internal errors', () => {
  it('are 500 with a trace id and nothing else', async () => {
    for (const way of ['throw', 'principal', 'wrong-shape']) {
      const response = await request(api.url).get('/v1/broken').query({ way });
      expect(response.status).toBe(500);
      expect(response.body).toEqual({
        error: {
          code: 'internal_error',
          message: expect.stringContaining('our side') as string,
          retryable: true,
        },
        trace_id: response.headers['x-trace-id'],
      });
      expect(logLines.join('')).toContain(`"traceId":"${String(response.headers['x-trace-id'])}"`);
    }
  });
});

describe('the log', () => {
  it('has one line per request with named fields only', async () => {
    logLines.length = 0;
    await request(api.url)
      .post('/v1/echo/thing_secretid?tag=secretq')
      .set('cookie', cookie)
      .send({ input: { a: 'secretbody' } });
    await request(api.url).get('/nope/secretpath');
    const lines = logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      method: 'POST',
      route: '/v1/echo/{thing_id}',
      status: 200,
      durationMs: expect.any(Number) as number,
      traceId: expect.any(String) as string,
      userId: expect.stringMatching(/^usr_/) as string,
    });
    expect(lines[1]).toMatchObject({ route: 'unmatched', status: 404 });
    expect(logLines.join('')).not.toMatch(/secret|market_session/);
  });
});

it('a session that ended is not brought back by a slow request that was under way, due for extension', async () => {
  const login = await request(api.url)
    .post('/v1/auth/login')
    .send({ email: PERSON.email, password: PERSON.password })
    .expect(200);
  const mine = cookieOf(login);
  await api.pool.query(`UPDATE sessions SET expire = now() + interval '3 days'`);
  const reached = new Promise<void>((resolve) => (gate.reached = resolve));
  const slow = request(api.url)
    .get('/v1/slow')
    .set('cookie', mine)
    .then((response) => response);
  await reached;
  await request(api.url).post('/v1/auth/logout').set('cookie', mine).expect(204);
  gate.open();
  expect((await slow).status).toBe(200);
  await request(api.url).get('/v1/auth/me').set('cookie', mine).expect(401);
});

describe('malformed HTTP requests', () => {
  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      socket.on('close', () => resolve(answer)).on('error', reject);
    });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers too large',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'invalid_header',
    ],
    [
      '101 headers',
      `GET /health HTTP/1.1\r\nHost: x\r\n${'A: 1\r\n'.repeat(100)}\r\n`,
      431,
      'invalid_header',
    ],
    [
      '2,000 headers',
      `POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n${'A:\r\n'.repeat(2_000)}\r\n`,
      431,
      'invalid_header',
    ],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 400, 'invalid_header'],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'invalid_header'],
    [
      'the same Host twice',
      'GET /health HTTP/1.1\r\nHost: a\r\nX: 1\r\nHOST: a\r\n\r\n',
      400,
      'invalid_header',
    ],
    ['two hosts in one header', 'GET /health HTTP/1.1\r\nHost: a, b\r\n\r\n', 400, 'invalid_header'],
    ['an address as Host', 'GET /health HTTP/1.1\r\nHost: http://a/\r\n\r\n', 400, 'invalid_header'],
    ['an expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', 417, 'invalid_header'],
    [
      'two expectations and a body',
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue, x\r\nContent-Length: 2\r\n\r\n{}',
      417,
      'invalid_header',
    ],
    [
      'a tunnel',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout'],
  ])('%s', async (_what, text, status, code) => {
    const [head, body] = (await send(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const error = JSON.parse(body ?? '') as { error: { code: string }; trace_id: string };
    expect(error.error.code).toBe(code);
    expect(head).toContain(`X-Trace-Id: ${error.trace_id}`);
  });

  it.each([
    ['100 headers', `GET /health HTTP/1.1\r\nHost: x\r\n${'A: 1\r\n'.repeat(98)}Connection: close\r\n\r\n`],
    ['HTTP/1.0 without a Host', 'GET /health HTTP/1.0\r\n\r\n'],
    ['an empty Host', 'GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
    ['an IPv6 Host', 'GET /health HTTP/1.1\r\nHost: [::1]:4000\r\nConnection: close\r\n\r\n'],
    [
      'the one expectation',
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n',
    ],
  ])('are not those with %s', async (_what, text) => {
    expect(await send(text)).toMatch(/(^|\n)HTTP\/1\.1 200 /);
  });

  it('are answered after the earlier requests of their connection', async () => {
    const answers = await send(
      'GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(answers.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('without the announced body end in 408', async () => {
    const answer = await send(
      `POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('readiness', () => {
  it('names the missing part, in time, and nothing more', async () => {
    const never = () => new Promise<void>(() => undefined);
    const failing = await startTestApi({
      checks: { temporal: () => Promise.reject(new Error('host 10.0.0.5')), worker: never },
    });
    try {
      const startedAt = Date.now();
      const response = await request(failing.url).get('/readiness').expect(503);
      expect(response.body).toEqual({
        status: 'not_ready',
        checks: { postgres: 'ok', temporal: 'failed', worker: 'failed', loops: 'ok' },
        failing_loops: [],
        workers: { reporting: 1, silent: 0, last_seen_at: expect.any(String) as string },
      });
      expect(Date.now() - startedAt).toBeLessThan(2_000);
    } finally {
      await failing.close();
    }
  });

  it('is 200 when everything answers', async () => {
    const response = await request(api.url).get('/readiness').expect(200);
    expect(response.body).toEqual({
      status: 'ready',
      checks: { postgres: 'ok', temporal: 'ok', worker: 'ok', loops: 'ok' },
      failing_loops: [],
      workers: { reporting: 1, silent: 0, last_seen_at: expect.any(String) as string },
    });
    expect((await request(api.url).get('/health').expect(200)).body).toEqual({
      status: 'ok',
      version: '0.0.0-test',
    });
  });
});
