import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { testRoutes } from '../../support/accounts/echo-route';

let api: TestApi;
let cookie: string;
beforeAll(async () => {
  api = await startTestApi({ routes: [testRoutes()] });
  const person = { email: 'a@example.com', password: 'long enough', displayName: 'A', role: 'buyer' };
  const response = await request(api.url).post('/v1/auth/register').send(person).expect(201);
  cookie = (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
});
afterAll(() => api.close());

const post = (path = '/v1/echo/thing_a') => request(api.url).post(path).set('cookie', cookie);
const send = (body: string | Buffer, contentType = 'application/json') =>
  post()
    .set('content-type', contentType)
    .serialize((value: unknown) => value as string)
    .send(body);

function expectError(response: request.Response, status: number, code: string) {
  expect({ status: response.status, body: response.body as unknown }).toMatchObject({
    status,
    body: { error: { code, message: expect.any(String) as string, retryable: false } },
  });
  const body = response.body as { trace_id: string; detail?: unknown[] };
  expect(body.trace_id).toMatch(/^[0-9a-f]{32}$/);
  expect(response.headers['x-trace-id']).toBe(body.trace_id);
  expect(Object.keys(body).sort()).toEqual(
    status === 422 ? ['detail', 'error', 'trace_id'] : ['error', 'trace_id'],
  );
}

describe('a body that is not acceptable JSON is 400', () => {
  it.each([
    ['malformed', '{"input":{'],
    ['empty', ''],
    ['not a JSON object', 'input=1'],
    ['40,000 nested arrays', `{"input":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`],
    ['a number that is not finite', '{"input":{"a":1e130000}}'],
    ['an integer that loses digits', '{"input":{"a":12345678901234567890}}'],
    ['a key twice', '{"input":{"a":1,"a":2}}'],
    ['the same key, once escaped', '{"input":{"a":1,"\\u0061":2}}'],
    ['a key of the envelope twice', '{"input":{},"input":{"a":1}}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a byte order mark', '\ufeff{"input":{}}'],
    ['UTF-16 bytes', Buffer.from('{"input":{}}', 'utf16le')],
    ['two documents', '{"input":{}}{"input":{}}'],
  ])('%s', async (_what, body) => {
    expectError(await send(body), 400, 'malformed_json');
  });
});

describe('a body of another kind is 415', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json5',
    'application/jsonp; charset=utf-8',
    'application/json-patch+json',
    'application/merge-patch+json; charset=utf-8',
    'application/json-seq',
    'json',
  ])('%s', async (contentType) => {
    expectError(await send('{"input":{}}', contentType), 415, 'unsupported_media_type');
  });

  it.each(['gzip', 'br', 'deflate', 'GZIP', 'gzip, identity'])(
    'with content-encoding %s',
    async (encoding) => {
      const response = await post()
        .set('content-type', 'application/json')
        .set('content-encoding', encoding)
        .send('{}');
      expectError(response, 415, 'unsupported_media_type');
    },
  );

  it('with content and no content type', async () => {
    const response = await fetch(`${api.url}/v1/echo/thing_a`, {
      method: 'POST',
      headers: { cookie },
      body: new Blob([Buffer.from('{"input":{}}')]),
    });
    expect(response.status).toBe(415);
  });

  it('accepts every form of JSON in UTF-8', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json;charset="utf8"',
      'application/json; profile="x"',
      'application/json;odata=verbose',
      'application/json; charset = utf-8',
      'application/json;charset=us-ascii',
      'application/vnd.api+json',
    ]) {
      await send('{"input":{}}', type).expect(200);
    }
  });
});

describe('a body that is JSON but not what the operation takes is 422, with every field', () => {
  const detailOf = (response: request.Response) =>
    (response.body as { detail: { loc: (string | number)[]; type: string }[] }).detail.map(
      ({ loc, type }) => [loc.join('.'), type],
    );

  it.each([
    ['null', 'null', [['body', 'type']]],
    ['a list', '[]', [['body', 'type']]],
    ['text', '"x"', [['body', 'type']]],
    [
      'wrong types',
      '{"input":[],"note":7}',
      [
        ['body.input', 'type'],
        ['body.note', 'type'],
      ],
    ],
    [
      'unknown fields',
      '{"input":{},"a":1,"b":2}',
      [
        ['body.a', 'unknown_field'],
        ['body.b', 'unknown_field'],
      ],
    ],
    ['__proto__', '{"input":{},"__proto__":{"admin":true}}', [['body.__proto__', 'unknown_field']]],
    ['constructor', '{"input":{},"constructor":{"prototype":{}}}', [['body.constructor', 'unknown_field']]],
    ['a NUL', '{"input":{},"note":"\\u0000"}', [['body.note', 'format']]],
    ['a lone surrogate', '{"input":{},"note":"\\ud800"}', [['body.note', 'format']]],
    ['nothing in it', '{}', [['body.input', 'required']]],
  ])('%s', async (_what, body, problems) => {
    const response = await send(body);
    expectError(response, 422, 'validation_failed');
    expect(detailOf(response)).toEqual(problems);
  });

  it('query and body problems come together', async () => {
    const response = await post('/v1/echo/thing_a?limit=0&cursor=a&cursor=b&nope=1').send({ note: 1 });
    expectError(response, 422, 'validation_failed');
    expect(detailOf(response).sort()).toEqual([
      ['body.input', 'required'],
      ['body.note', 'type'],
      ['query.cursor', 'type'],
      ['query.limit', 'minimum'],
      ['query.nope', 'unknown_field'],
    ]);
  });

  it.each([
    'limit=abc',
    'limit=1e2',
    'limit=0x10',
    'limit=',
    'limit=%00',
    'limit=1.5',
    'limit=101',
    'dry=yes',
    'tag=%00',
    'limit=Infinity',
  ])('query %s', async (query) => {
    expectError(await post(`/v1/echo/thing_a?${query}`).send({ input: {} }), 422, 'validation_failed');
  });
});

describe('valid input arrives unchanged', () => {
  it.each([
    ['text that Postgres could not hold, inside input', { a: '\u0000', b: '\ud800x' }],
    ['__proto__ inside input', JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as unknown],
    ['deep data', JSON.parse(`{"a":${'['.repeat(120)}${']'.repeat(120)}}`) as unknown],
    ['the largest exact integers', { a: 2 ** 53 - 1, b: -(2 ** 53 - 1), c: 1e300, d: 0.1 }],
    ['a long key', { ['k'.repeat(100_000)]: 1 }],
  ])('%s', async (_what, input) => {
    const response = await send(JSON.stringify({ input })).expect(200);
    expect(JSON.stringify((response.body as { body: unknown }).body)).toBe(JSON.stringify({ input }));
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('a query in the types of its fields, with defaults', async () => {
    const response = await post('/v1/echo/thing_a?tag=x&dry=true').send({ input: {} }).expect(200);
    expect((response.body as { query: unknown }).query).toEqual({ limit: 20, tag: ['x'], dry: true });
    const more = await post('/v1/echo/thing_a?tag=x&tag=y&limit=5').send({ input: {} }).expect(200);
    expect((more.body as { query: unknown }).query).toEqual({ limit: 5, tag: ['x', 'y'] });
  });
});

describe('a path', () => {
  it.each([
    '/v1/echo/other',
    '/v1/echo/thing_A',
    '/v1/echo/thing_%00',
    '/v1/echo/thing_a%2Fb',
    '/V1/echo/thing_a',
    '/nope',
  ])('%s is 404', async (path) => {
    expectError(await post(path).send({ input: {} }), 404, 'not_found');
  });

  it('with bad percent-encoding is 400', async () => {
    expectError(await post('/v1/echo/%E0%A4%A').send({ input: {} }), 400, 'malformed_request');
  });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('too large', () => {
  const limit = 12 * 1024 * 1024;
  const bodyOf = (bytes: number) => `{"input":{"a":"${'x'.repeat(bytes - 18)}"}}`;

  it('takes a body up to the limit and no byte more', async () => {
    expect(Buffer.byteLength(bodyOf(limit))).toBe(limit);
    await send(bodyOf(limit)).expect(200);
    expectError(await send(bodyOf(limit + 1)), 413, 'payload_too_large');
  });

  it('stops reading a chunked body without end', async () => {
    let sent = 0;
    const stop = new AbortController();
    const endless = new ReadableStream<Uint8Array>({
      // Yields to the event loop: a source that never waits would starve the socket that it feeds.
      async pull(controller) {
        await nextTurn();
        if (stop.signal.aborted) return controller.close();
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const answer = fetch(`${api.url}/v1/echo/thing_a`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: endless,
      duplex: 'half',
      signal: stop.signal,
    });
    // The client sees 413, or, while it is still sending, a closed connection.
    const status = await answer.then(
      (response) => response.status,
      () => 'closed',
    );
    expect([413, 'closed']).toContain(status);
    stop.abort();
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('other operations take 1 MiB', async () => {
    const password = 'x'.repeat(1024 * 1024);
    const response = await request(api.url).post('/v1/auth/login').send({ email: 'a@example.com', password });
    expectError(response, 413, 'payload_too_large');
  });
});

it('a million wrong values are answered with a short answer', async () => {
  expectError(await send(`{"input":{},"note":[${'1,'.repeat(1_000_000)}1]}`), 413, 'payload_too_large');
  expectError(await send(`{"input":{},"note":[${'1,'.repeat(120_000)}1]}`), 422, 'validation_failed');
  const unknown = Array.from({ length: 100_000 }, (_, n) => `"f${n}":1`).join();
  const many = await send(`{${unknown}}`);
  expectError(many, 422, 'validation_failed');
  expect(many.text.length).toBeLessThan(100_000);
});

it('the service stays available after all of that, and the session valid', async () => {
  await request(api.url).get('/health').expect(200);
  await request(api.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
});
