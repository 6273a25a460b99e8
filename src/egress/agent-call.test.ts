import { startAgent, refusingUrl } from '../../test/support/agents/test-agent';
import {
  AGENT_NAME,
  failureOf,
  requestTo,
  startEgressFixture,
  untilClosed,
  type EgressFixture,
} from '../../test/support/stack/egress';
import { egressErrorToCode } from './egress-error';

let fixture: EgressFixture;
let named: string;

beforeAll(async () => {
  fixture = await startEgressFixture({
    'half-dead.fixtures.example': ['127.77.0.31', '127.77.0.1'],
    'alias.fixtures.example': { alias: AGENT_NAME },
  });
  named = `https://${AGENT_NAME}:${fixture.agent.port}/`;
});
beforeEach(() => {
  fixture.agent.behave({ kind: 'echo' });
  fixture.agent.forget();
});
afterAll(async () => {
  expect(fixture.breakOuts()).toBe(0);
  await fixture.stop();
});

describe('a call', () => {
  it('posts the body with the fixed headers and gives the answer back', async () => {
    const { agent, call } = fixture;
    const answer = await call(`${agent.url}/invoke?a=1`, { headers: { 'X-Invocation-Id': 'inv_1' } });
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json' });
    expect(answer.body.toString()).toBe('{"text":"hello"}');
    expect(answer.durationMs).toBeGreaterThan(0);
    const [delivery] = agent.deliveries;
    expect(delivery?.path).toBe('/invoke?a=1');
    expect(delivery?.headers).toEqual({
      host: `127.77.0.1:${agent.port}`,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': '16',
      'user-agent': 'AgentMarketplace/1.0',
      'x-invocation-id': 'inv_1',
      'x-marketplace-hops': '1',
    });
  });

  it('connects to the vetted address of a name, and checks the certificate against the name', async () => {
    expect((await fixture.call(named)).status).toBe(200);
    expect(fixture.agent.deliveries[0]?.headers.host).toBe(`${AGENT_NAME}:${fixture.agent.port}`);
    const aliased = await fixture.call(`https://alias.fixtures.example:${fixture.agent.port}/`);
    expect(aliased.status).toBe(200);
    expect(fixture.agent.deliveries[1]?.headers.host).toBe(`alias.fixtures.example:${fixture.agent.port}`);
  });

  it('gives error statuses back as they are', async () => {
    fixture.agent.behave({ kind: 'status', status: 503 });
    expect((await fixture.call(fixture.agent.url)).status).toBe(503);
  });

  it('resolves the name for each call, and reuses the connection', async () => {
    const { agent, dns } = fixture;
    const before = dns.queriesOf(AGENT_NAME);
    const connections = await agent.openConnections();
    for (let count = 0; count < 5; count += 1) await fixture.call(named);
    expect(dns.queriesOf(AGENT_NAME) - before).toBeGreaterThanOrEqual(10);
    expect(await agent.openConnections()).toBeLessThanOrEqual(connections + 1);
  });

  it('takes the next vetted address when the first one refuses', async () => {
    const url = `https://half-dead.fixtures.example:${fixture.agent.port}/`;
    expect((await fixture.call(url)).status).toBe(200);
    expect(fixture.agent.deliveries).toHaveLength(1);
  });

  it('does not deliver again after a broken delivery', async () => {
    fixture.agent.behave({ kind: 'dies_before_answer' });
    const url = `https://half-dead.fixtures.example:${fixture.agent.port}/`;
    expect((await failureOf(fixture.call(url))).kind).toBe('unreachable');
    expect(fixture.agent.deliveries).toHaveLength(1);
  });

  it('carries 10 MiB there and back', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024, 'x');
    const answer = await fixture.call(named, { body, maxResponseBytes: body.length, timeoutMs: 10_000 });
    expect(answer.body.equals(body)).toBe(true);
  });

  it.each([['Host'], ['Content-Length'], ['Transfer-Encoding'], ['Connection'], ['proxy-authorization']])(
    'refuses the header %s from callers',
    async (name) => {
      const { agent, call } = fixture;
      await expect(call(agent.url, { headers: { [name]: '1' } })).rejects.toThrow('set by the egress client');
      expect(agent.deliveries).toHaveLength(0);
    },
  );

  it.each(['a\r\nx-injected: 1', 'a\nb', 'a\u0000b'])('sends nothing with the value %j', async (value) => {
    const { agent, call } = fixture;
    await failureOf(call(agent.url, { headers: { authorization: value } }));
    expect(agent.deliveries).toHaveLength(0);
  });
});

describe('a server other than an agent', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE'] as const)('can be requested with %s', async (method) => {
    const body = method === 'GET' ? undefined : Buffer.from('[1]');
    const headers = { accept: 'text/plain', 'content-type': 'application/x-thing' };
    const answer = await fixture.call(named, { method, body, ...(body ? { headers } : {}) });
    const [delivery] = fixture.agent.deliveries;
    expect(delivery?.method).toBe(method);
    expect(delivery?.headers['content-type']).toBe(body && 'application/x-thing');
    expect(delivery?.headers.accept).toBe(body ? 'text/plain' : 'application/json');
    expect(answer.body.toString()).toBe(body ? '[1]' : '');
  });

  it('exchanges JSON', async () => {
    const { agent, egress } = fixture;
    const limits = { deadlineMs: Date.now() + 3_000, maxResponseBytes: 1_000 };
    const headers = { authorization: 'Basic eDp5' };
    const answer = await egress.json({ url: named, headers, json: { amount: 1 }, ...limits });
    expect(answer).toMatchObject({ status: 200, value: { amount: 1 } });
    expect(answer.header('content-type')).toBe('application/json');
    expect(agent.deliveries[0]?.headers).toMatchObject({ ...headers, 'content-type': 'application/json' });
    agent.behave({ kind: 'status', status: 402 });
    expect(await egress.json({ url: named, headers, method: 'GET', ...limits })).toMatchObject({
      status: 402,
    });
    expect(agent.deliveries[1]?.headers).not.toHaveProperty('content-type');
    agent.behave({ kind: 'not_json' });
    expect((await failureOf(egress.json({ url: named, headers, ...limits }))).kind).toBe('bad_response');
  });
});

describe('an agent that cannot be called', () => {
  it('gets no request if its certificate is untrusted or for another name', async () => {
    const stranger = await startAgent({ certificate: 'stranger' });
    expect((await failureOf(fixture.call(stranger.url))).kind).toBe('tls');
    expect(stranger.deliveries).toHaveLength(0);
    await stranger.stop();
    const elsewhere = await startAgent({ host: '127.77.0.99' });
    expect((await failureOf(fixture.call(elsewhere.url))).kind).toBe('tls');
    expect(elsewhere.deliveries).toHaveLength(0);
    await elsewhere.stop();
  });

  it('is unreachable if no server listens', async () => {
    expect((await failureOf(fixture.call(await refusingUrl()))).kind).toBe('unreachable');
  });
});

describe('the caller', () => {
  it('ends a call by its signal, also one that has not begun', async () => {
    const { agent, call } = fixture;
    agent.behave({ kind: 'hangs' });
    const controller = new AbortController();
    const running = failureOf(call(agent.url, { signal: controller.signal }));
    await agent.waitForDeliveries(1);
    controller.abort();
    expect((await running).kind).toBe('aborted');
    expect((await failureOf(call(agent.url, { signal: controller.signal }))).kind).toBe('aborted');
    expect(agent.deliveries).toHaveLength(1);
  });

  it('sends nothing after the deadline, and may set one that is years away', async () => {
    expect((await failureOf(fixture.call(named, { timeoutMs: 0 }))).kind).toBe('timeout');
    expect(fixture.agent.deliveries).toHaveLength(0);
    expect((await fixture.call(named, { timeoutMs: 1e12 })).status).toBe(200);
  });

  it('reads a stream as it comes, and leaves it when it has enough', async () => {
    const talker = await startAgent({ behaviour: { kind: 'trickle', everyMs: 10 } });
    const stream = await fixture.egress.open(requestTo(talker.url, { maxResponseBytes: 100 }));
    expect(stream).toMatchObject({ status: 200, contentType: 'application/json' });
    expect(stream.header('transfer-encoding')).toBe('chunked');
    const chunks: string[] = [];
    for await (const chunk of stream.body) if (chunks.push(chunk.toString()) === 3) break;
    expect(chunks).toEqual([' ', ' ', ' ']);
    (await fixture.egress.open(requestTo(talker.url))).close();
    await untilClosed(talker);
    await talker.stop();
  });

  it('gets an error in the middle of a stream that is too large or too late', async () => {
    fixture.agent.behave({ kind: 'trickle', everyMs: 10 });
    const drain = async (options: { timeoutMs: number; maxResponseBytes: number }) => {
      const { body } = await fixture.egress.open(requestTo(fixture.agent.url, options));
      for await (const chunk of body) void chunk;
    };
    const large = await failureOf(drain({ timeoutMs: 3_000, maxResponseBytes: 5 }));
    const late = await failureOf(drain({ timeoutMs: 200, maxResponseBytes: 1_000 }));
    expect([large.kind, late.kind]).toEqual(['too_large', 'timeout']);
  });
});

it('gives buyers a code, the same for an unsafe and for an absent host', () => {
  expect(egressErrorToCode('unsafe_url')).toBe(egressErrorToCode('unreachable'));
  expect(egressErrorToCode('timeout')).toBe('agent_timeout');
  expect(egressErrorToCode('too_large')).toBe('response_too_large');
});
