/** The typed client against a server that limits requests, cuts or delays answers, and sends invalid ones. */
import { marketCommand } from '../../support/cli/market-command';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, MarketApiError } from '../../../packages/client/src';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let answers: Answer[];
let seen: { method: string; path: string; key: string | undefined }[];
beforeEach(async () => {
  [answers, seen] = [[], []];
  server = createServer((request, response) => {
    seen.push({
      method: request.method ?? '',
      path: request.url ?? '',
      key: request.headers['idempotency-key'] as string | undefined,
    });
    (answers.shift() ?? json(500, {}))(response, request);
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const limited = (seconds: string) =>
  json(
    429,
    { error: { code: 'rate_limited', message: 'Too many requests.', retryable: true }, trace_id: 't' },
    { 'retry-after': seconds },
  );
const down = json(503, {}, { 'retry-after': '0' });
/** The first bytes of a long answer, and the end of the connection. */
const cut: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"output":', () => response.destroy());
};
/** A long answer without a length, cut in the middle of a chunk. */
const cutChunk: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"output":', () => response.destroy());
};
const never: Answer = () => undefined;
const proxyPage: Answer = (response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please log in</h1>');
const badGateway: Answer = (response) =>
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>');
const events =
  (...blocks: string[]): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(blocks.join(''), () => response.destroy()); // prettier-ignore

const at = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = (options = {}) => createClient({ baseUrl: at(), ...options });
const failureOf = async (request: Promise<unknown>): Promise<MarketApiError> => {
  const error: unknown = await request.then(
    () => 'no error',
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(MarketApiError);
  return error as MarketApiError;
};

describe('retries', () => {
  it('wait as long as the service asks, and repeat a call with the same key', async () => {
    answers = [limited('1'), down, json(200, { output: 1 })];
    const waits: number[] = [];
    await client({ onRetry: ({ waitMs }: { waitMs: number }) => waits.push(waitMs) }).invoke('agt_x_v1', {});
    expect(waits).toEqual([1_000, 0]);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen[0]?.key).toBeDefined();
  });

  it.each([
    ['is cut', cut],
    ['is cut in a chunk', cutChunk],
    ['is the page of a proxy', proxyPage],
    ['is the error of a proxy', badGateway],
  ])('repeat a call with its key, and a read, when the answer %s', async (_name, answer) => {
    answers = [answer, json(200, { output: 1 }), answer, json(200, { available_credits: 1 })];
    expect(await client().invoke('agt_x_v1', {})).toEqual({ output: 1 });
    expect(await client().get('/v1/billing/balance')).toEqual({ available_credits: 1 });
    expect(seen[0]?.key).toBeDefined();
    expect(seen[1]?.key).toBe(seen[0]?.key);
  });

  it.each([
    ['503', down, 503],
    ['a cut answer', cut, 0],
    ['the page of a proxy', proxyPage, 0],
  ])(
    'are not made for a request that could have an effect twice, after %s',
    async (_name, answer, status) => {
      answers = [answer];
      const creation = client().post('/v1/keys', { body: { name: 'a key', scopes: ['agents:read'] } });
      expect(await failureOf(creation)).toMatchObject({ status, idempotencyKey: undefined });
      expect(seen).toHaveLength(1);
    },
  );

  it('do not wait longer than the caller wants', async () => {
    answers = [limited('3600')];
    expect(await failureOf(client().get('/v1/billing/balance'))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3_600_000,
    });
  });

  it('repeat a read after a lost connection, then say what cannot be reached', async () => {
    const address = at();
    await new Promise((settle) => server.close(settle));
    const reasons: string[] = [];
    const onRetry = ({ reason }: { reason: string }) => reasons.push(reason);
    const away = createClient({ baseUrl: address, maxRetries: 1, onRetry });
    expect(await failureOf(away.get('/v1/billing/balance'))).toMatchObject({
      code: 'unreachable',
      status: 0,
    });
    expect(reasons).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('leave the refusal of the marketplace itself to the caller, with the key of the call', async () => {
    answers = [json(504, { error: { code: 'agent_timeout', message: 'Late.', retryable: true } })];
    const failure = await failureOf(client().invoke('agt_x_v1', {}));
    expect(failure).toMatchObject({ status: 504, code: 'agent_timeout' });
    expect(failure.idempotencyKey).toBe(seen[0]?.key);
    expect(seen).toHaveLength(1);
  });
});

describe('a call that became a job', () => {
  const begun = json(202, { invocation_id: 'inv_1', status: 'running', output: null, usage: null });
  const usage = { tokens_in: 1, tokens_out: 1, duration_ms: 26_000, credits_charged: 2 };
  const done = { output: 1, usage, trace_id: 't', invocation_id: 'inv_1' };
  const succeeded = json(200, { ...done, status: 'succeeded', error: null });
  const error = { code: 'agent_error', message: 'It broke.', retryable: false };
  const failed = json(200, { ...done, output: null, status: 'failed', error });

  it('is awaited by the client, which throws the error of a failed one', async () => {
    answers = [begun, succeeded];
    expect(await client().invoke('agt_x_v1', {})).toEqual(done);
    answers = [begun, failed];
    const failure = await failureOf(client().invoke('agt_x_v1', {}));
    expect(failure).toMatchObject({ code: 'agent_error', message: 'It broke.', invocationId: 'inv_1' });
  });

  it('is awaited by the command, which names the verbs that go on or end it', async () => {
    const command = marketCommand(at(), { MARKET_API_KEY: 'amk_live_test' });
    try {
      answers = [begun, succeeded];
      const invoked = await command.run(['invoke', 'agt_x_v1', '{}']);
      expect([invoked.code, invoked.stdout.trim()]).toEqual([0, '1']);
      expect(invoked.stderr).toMatch(
        /^inv_1 is a job, .* market invocations wait or cancel inv_1\n2 credits/,
      );
      answers = [begun, failed, failed];
      const broken = await command.run(['invoke', 'agt_x_v1', '{}']);
      expect([broken.code, broken.stderr]).toEqual([1, expect.stringMatching(/It broke\. After .*inv_1/)]);
    } finally {
      command.remove();
    }
  });
});

describe('every failure of the connection', () => {
  it.each([
    ['a cut answer', cut, /cannot be reached/],
    ['a cut chunk', cutChunk, /cannot be reached/],
    ['the page of a proxy', proxyPage, /not JSON \(text\/html\)/],
  ])('is an error with the key of the call: %s', async (_name, answer, message) => {
    answers = [answer, answer];
    const failure = await failureOf(client({ maxRetries: 1 }).invoke('agt_x_v1', {}));
    expect(failure).toMatchObject({ status: 0, code: 'unreachable', retryable: true });
    expect(failure.message).toMatch(message);
    expect(failure.idempotencyKey).toBe(seen[0]?.key);
    expect(seen).toHaveLength(2);
  });

  it('is an error with the key of the call: the signal of the caller, before and between attempts', async () => {
    answers = [never];
    const leaving = new AbortController();
    const left = failureOf(client().invoke('agt_x_v1', {}, { signal: leaving.signal }));
    await once(server, 'request');
    leaving.abort(new Error('enough'));
    const failure = await left;
    expect(failure).toMatchObject({
      status: 0,
      code: 'aborted',
      retryable: false,
      cause: { message: 'enough' },
    });
    expect(failure.idempotencyKey).toBe(seen[0]?.key);
    answers = [limited('30')];
    const waiting = new AbortController();
    const onRetry = () => waiting.abort();
    const given = { signal: waiting.signal, idempotencyKey: 'mine' };
    expect(await failureOf(client({ onRetry }).invoke('agt_x_v1', {}, given))).toMatchObject({
      code: 'aborted',
      idempotencyKey: 'mine',
    });
  });

  it.each([
    ['headers that do not come', never],
    ['a body that stops', (response) => response.writeHead(200).write('{')],
  ])('is an error with the key of the call: %s within a time limit', async (_name, answer) => {
    answers = [answer, answer];
    const failure = await failureOf(client({ maxRetries: 1 }).invoke('agt_x_v1', {}, { timeoutMs: 100 }));
    expect(failure).toMatchObject({ status: 0, code: 'timeout', retryable: true });
    expect(failure.message).toMatch('within 100 ms');
    expect([failure.idempotencyKey, seen.length]).toEqual([seen[0]?.key, 2]);
  });

  it('is an error when all attempts and waits take too long', async () => {
    answers = Array.from({ length: 20 }, () => never);
    const impatient = client({ maxRetries: 19, timeoutMs: 60, totalTimeoutMs: 150 });
    const begunAt = Date.now();
    expect(await failureOf(impatient.invoke('agt_x_v1', {}))).toMatchObject({ code: 'timeout' });
    expect(Date.now() - begunAt).toBeLessThan(5_000);
    expect(seen.length).toBeLessThan(5);
    await expect(client().get('/v1/billing/balance', { timeoutMs: 0 })).rejects.toThrow(RangeError);
  });
});

describe('a stream', () => {
  const chunk = 'data: {"type":"output_chunk","chunk":"a"}\n\n';
  const turn = async (options: object) => {
    const received: unknown[] = [];
    try {
      for await (const event of client().chat('agt_x_v1', 'Hi', options)) received.push(event);
    } catch (error) {
      return { received, error };
    }
    return { received, error: undefined };
  };

  it.each([
    ['is cut', events(chunk, 'data: {"ty')],
    ['has an event that is no JSON', events(chunk, 'data: {"ty\n\n')],
    ['ends early', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk)],
  ])('that %s ends with an error that has the key', async (_name, answer) => {
    answers = [answer];
    const { received, error } = await turn({ idempotencyKey: 'turn-1' });
    expect(received).toHaveLength(1);
    expect(error).toBeInstanceOf(MarketApiError);
    expect(error).toMatchObject({ code: 'unreachable', idempotencyKey: 'turn-1', retryable: true });
  });

  it.each([
    ['silent', { timeoutMs: 100 }, 'timeout'],
    ['longer than its total', { totalTimeoutMs: 200 }, 'timeout'],
  ])('that is %s ends with an error', async (_name, options, code) => {
    answers = [(response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk)];
    const { received, error } = await turn(options);
    expect([received.length, error]).toEqual([1, expect.objectContaining({ code })]);
    expect(error).toBeInstanceOf(MarketApiError);
  });

  it('of events resumes behind the last one, and ends when the service refuses', async () => {
    const positions: (string | undefined)[] = [];
    const note =
      (answer: Answer): Answer =>
      (response, request) => {
        positions.push(request.headers['last-event-id'] as string | undefined);
        answer(response, request);
      };
    const event = (id: number) =>
      `id: ${id}\ndata: {"id":"evt_${id}","type":"credits.loaded","timestamp":"t","data":{"credits":${id}}}\n\n`;
    answers = [
      note(events('event: ready\ndata: {"complete":true}\n\n', event(7))),
      note(events(event(8))),
      note(json(403, { error: { code: 'insufficient_scope', message: 'No.', retryable: false } })),
    ];
    const credits: unknown[] = [];
    const follow = async () => {
      for await (const { type, data } of client().events({ types: ['credits.loaded'] }))
        if (type === 'credits.loaded') credits.push(data.credits);
    };
    expect(await failureOf(follow())).toMatchObject({ code: 'insufficient_scope' });
    expect([credits, positions]).toEqual([
      [7, 8],
      [undefined, '7', '8'],
    ]);
  });
});

it('ends a request by its limit and by its signal when memory was reclaimed meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  answers = [() => collect()];
  const limits = { timeoutMs: 300, maxRetries: 0 };
  expect((await failureOf(client(limits).get('/v1/billing/balance'))).code).toBe('timeout');
  const leaving = new AbortController();
  answers = [() => (collect(), leaving.abort())];
  expect((await failureOf(client().get('/v1/billing/balance', { signal: leaving.signal }))).code).toBe(
    'aborted',
  );
});

describe('a wait for the end of a call', () => {
  const call = (status: string) => json(200, { invocation_id: 'inv_1', status });

  it('asks again until the call has ended, no sooner than a second after an early answer', async () => {
    answers = [call('pending'), limited('0'), call('running'), call('failed')];
    const begunAt = Date.now();
    expect(await client().invocations.wait('inv_1')).toEqual({ invocation_id: 'inv_1', status: 'failed' });
    expect(Date.now() - begunAt).toBeGreaterThanOrEqual(1_990);
    expect(seen).toHaveLength(4);
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(['/v1/invocations/inv_1?wait=60']));
  });

  it('asks for waits that its own limits allow', async () => {
    answers = [call('succeeded'), call('succeeded'), call('succeeded')];
    await client({ timeoutMs: 10_000 }).invocations.wait('inv_1');
    await client().jobs.wait('inv_1', { totalTimeoutMs: 3_000 });
    await client({ timeoutMs: 100 }).invocations.wait('inv_1');
    expect(seen.map(({ path }) => path.split('?')[1])).toEqual([
      'wait=5',
      expect.stringMatching(/=[23]$/),
      'wait=1',
    ]);
  });

  it('ends with an error when its time is over or its signal is aborted, whatever the call does', async () => {
    answers = [never];
    const late = await failureOf(client().invocations.wait('inv_1', { totalTimeoutMs: 200 }));
    expect(late).toMatchObject({ status: 0, code: 'timeout', retryable: true, invocationId: 'inv_1' });
    expect(late.message).toBe('The call inv_1 has not ended within 200 ms. It goes on.');
    const leaving = new AbortController();
    answers = [() => leaving.abort()];
    const left = failureOf(client().invocations.wait('inv_1', { signal: leaving.signal }));
    expect((await left).code).toBe('aborted');
    answers = [json(404, { error: { code: 'not_found', message: 'No.', retryable: false } })];
    expect((await failureOf(client().invocations.wait('inv_1'))).code).toBe('not_found');
  });

  it('gives each question of the agent to its caller once, and sends the answer', async () => {
    const asks = (question_id: string) =>
      json(200, {
        invocation_id: 'inv_1',
        status: 'running',
        job: { question: { question_id, prompt: '?' } },
      });
    const late = json(409, { error: { code: 'invalid_state', message: 'Late.', retryable: false } });
    answers = [asks('a'), call('running'), asks('a'), asks('b'), late, asks('c'), call('succeeded')];
    const asked: string[] = [];
    const ended = await client().invocations.wait('inv_1', {
      onQuestion: ({ question_id }) => {
        asked.push(question_id);
        return question_id === 'c' ? undefined : { of: question_id };
      },
    });
    expect([ended.status, asked]).toEqual(['succeeded', ['a', 'b', 'c']]);
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/invocations/inv_1?wait=60&known_question=',
      'POST /v1/invocations/inv_1/input',
      'GET /v1/invocations/inv_1?wait=60&known_question=a',
      'GET /v1/invocations/inv_1?wait=60&known_question=a',
      'POST /v1/invocations/inv_1/input',
      'GET /v1/invocations/inv_1?wait=60&known_question=b',
      'GET /v1/invocations/inv_1?wait=60&known_question=c',
    ]);
  });

  it('begins a call with a key, and takes the answer of one that had ended from the response', async () => {
    const result = { output: { n: 1 }, usage: {}, trace_id: 't', invocation_id: 'inv_1' };
    answers = [down, json(200, result), call('succeeded')];
    const started = await client().invocations.start('agt_x_v1', {});
    expect(started).toEqual({ invocation_id: 'inv_1', status: 'succeeded', output: { n: 1 } });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...Array<string>(2).fill('POST /v1/agents/agt_x_v1/invoke'),
      'GET /v1/invocations/inv_1?wait=0',
    ]);
    expect(seen[0]?.key).toBeDefined();
    expect(seen[1]?.key).toBe(seen[0]?.key);
  });
});
