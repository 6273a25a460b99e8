import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_CA_FILE, testCertificates } from '../../test/support/agents/authority';
import type { Behaviour } from '../../test/support/agents/behaviours';
import { startDns, type TestDns } from '../../test/support/agents/dns-server';
import {
  refusingUrl,
  startAgent,
  startHoneypot,
  type Honeypot,
  type TestAgent,
} from '../../test/support/agents/test-agent';
import { createEgress, type Egress, type EgressRequest } from './agent-call';
import { EgressError, egressErrorToCode } from './egress-error';

let agent: TestAgent;
let honeypot: Honeypot;
let dns: TestDns;
let egress: Egress;

const settings = (EGRESS_DNS_SERVERS = dns.address) => ({
  EGRESS_ALLOW: '127.77.0.0/16',
  EGRESS_DENY: '',
  EGRESS_DNS_SERVERS,
  EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
  PUBLIC_ORIGIN: 'https://market.fixtures.example',
});

beforeAll(async () => {
  await testCertificates();
  agent = await startAgent();
  honeypot = await startHoneypot('127.0.0.1', agent.port);
  dns = await startDns({
    'agent.fixtures.example': ['127.77.0.1'],
    'rebind.fixtures.example': (earlier) => (earlier % 2 === 0 ? ['127.77.0.1'] : ['127.0.0.1']),
    'mixed.fixtures.example': ['127.77.0.1', '127.0.0.1'],
    'mixed6.fixtures.example': ['127.77.0.1', '::1'],
    'meta.fixtures.example': ['169.254.169.254'],
    'private.fixtures.example': ['10.0.0.1'],
    'half-dead.fixtures.example': ['127.77.0.31', '127.77.0.1'],
    'slow.fixtures.example': 'hangs',
    'broken.fixtures.example': 'fails',
    'empty.fixtures.example': [],
  });
  egress = createEgress(settings());
});

beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});

afterEach(() => expect(honeypot.connections()).toBe(0));

afterAll(async () => {
  await Promise.all([egress.close(), agent.stop(), honeypot.stop(), dns.stop()]);
});

function call(url: string, more: Partial<EgressRequest> & { timeoutMs?: number } = {}) {
  const { timeoutMs = 3_000, ...rest } = more;
  const body = Buffer.from('{"text":"hello"}');
  return egress.post({
    url,
    body,
    headers: {},
    deadlineMs: Date.now() + timeoutMs,
    maxResponseBytes: 1_000_000,
    ...rest,
  });
}

async function failureOf(work: Promise<unknown>): Promise<EgressError> {
  const error = await work.then(
    (value) => new Error(`answered: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof EgressError)) throw error;
  return error;
}

/** Calls an agent that behaves so; resolves to the kind of the failure, when nothing of it is left open. */
async function kindOf(
  behaviour: Behaviour,
  more: Partial<EgressRequest> & { timeoutMs?: number } = {},
): Promise<string> {
  const bad = await startAgent({ behaviour });
  const { kind } = await failureOf(call(bad.url, more));
  for (let tries = 0; (await bad.openConnections()) > 0 && tries < 100; tries += 1) await sleep(5);
  expect(await bad.openConnections()).toBe(0);
  await bad.stop();
  return kind;
}

describe('a call', () => {
  it('posts the body with the fixed headers and gives the answer back', async () => {
    const answer = await call(`${agent.url}/invoke?a=1`, { headers: { 'x-invocation-id': 'inv_1' } });
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
    });
  });

  it('reaches a name by its vetted address, and checks the certificate against the name', async () => {
    const answer = await call(`https://agent.fixtures.example:${agent.port}/`);
    expect(answer.status).toBe(200);
    expect(agent.deliveries[0]?.headers.host).toBe(`agent.fixtures.example:${agent.port}`);
  });

  it('gives error statuses back as they are', async () => {
    agent.behave({ kind: 'status', status: 503 });
    expect((await call(agent.url)).status).toBe(503);
  });

  it('asks for the address anew each time, and uses the connection again', async () => {
    const before = dns.queriesOf('agent.fixtures.example');
    const connections = await agent.openConnections();
    for (let count = 0; count < 5; count += 1) await call(`https://agent.fixtures.example:${agent.port}/`);
    expect(dns.queriesOf('agent.fixtures.example') - before).toBe(10);
    expect(await agent.openConnections()).toBeLessThanOrEqual(connections + 1);
  });

  it('takes the next vetted address when the first one refuses', async () => {
    expect((await call(`https://half-dead.fixtures.example:${agent.port}/`)).status).toBe(200);
    expect(agent.deliveries).toHaveLength(1);
  });

  it('carries 10 MiB there and back', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024, 'x');
    const answer = await call(agent.url, { body, maxResponseBytes: body.length, timeoutMs: 10_000 });
    expect(answer.body.equals(body)).toBe(true);
  });

  it('lets nobody set the framing', async () => {
    await expect(call(agent.url, { headers: { Host: 'other.example' } })).rejects.toThrow('not the caller');
    expect(agent.deliveries).toHaveLength(0);
  });
});

describe('a call to what is not a public host', () => {
  it.each(['mixed', 'mixed6', 'meta', 'private'])('is refused when its name is %s', async (name) => {
    const failure = await failureOf(call(`https://${name}.fixtures.example:${agent.port}/`));
    expect(failure).toMatchObject({ kind: 'unsafe_url', rule: 'url_host_not_public' });
    expect(failure.message).not.toMatch(/\d+\.\d+/);
    expect(agent.deliveries).toHaveLength(0);
  });

  it('is refused for every spelling of a forbidden literal', async () => {
    const { port } = agent;
    for (const host of [
      '127.0.0.1',
      '0x7f000001',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '127.0.0.1.',
      '0.0.0.0',
      'localhost',
    ]) {
      expect(await failureOf(call(`https://${host}:${port}/`))).toMatchObject({ kind: 'unsafe_url' });
    }
  });

  it('never follows a name that flips, also over kept connections', async () => {
    const outcomes = new Map<string, number>();
    for (let count = 0; count < 200; count += 1) {
      const outcome = await call(`https://rebind.fixtures.example:${agent.port}/`).then(
        () => 'answered',
        (error: EgressError) => error.kind,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect(Object.fromEntries(outcomes)).toEqual({ answered: 100, unsafe_url: 100 });
  });

  it('is refused for our own public host', async () => {
    const failure = await failureOf(call('https://market.fixtures.example/'));
    expect(failure).toMatchObject({ kind: 'unsafe_url', rule: 'url_host_is_ours' });
  });

  it('is refused at registration without telling why the name does not do', async () => {
    for (const name of ['mixed', 'private', 'broken', 'unknown', 'empty']) {
      const verdict = await egress.admitUrl(`https://${name}.fixtures.example/`);
      expect(verdict).toEqual({ ok: false, rule: 'url_host_not_public' });
    }
    expect(await egress.admitUrl('https://agent.fixtures.example/')).toMatchObject({ ok: true });
    expect(await egress.admitUrl(agent.url)).toMatchObject({ ok: true });
    expect(await egress.admitUrl('http://agent.fixtures.example/')).toEqual({
      ok: false,
      rule: 'url_not_https',
    });
  });
});

describe('a name that does not resolve', () => {
  it.each(['broken', 'unknown', 'empty'])('is unreachable when it is %s', async (name) => {
    expect((await failureOf(call(`https://${name}.fixtures.example/`))).kind).toBe('unreachable');
  });

  it('is given up after 2 s, and no other call waits for it', async () => {
    const startedAt = performance.now();
    const slow = failureOf(call('https://slow.fixtures.example/', { timeoutMs: 10_000 }));
    expect((await call(`https://agent.fixtures.example:${agent.port}/`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(500);
    expect((await slow).kind).toBe('unreachable');
    expect(performance.now() - startedAt).toBeLessThan(2_300);
  });

  it('counts against the deadline of the call', async () => {
    const startedAt = performance.now();
    expect((await failureOf(call('https://slow.fixtures.example/', { timeoutMs: 300 }))).kind).toBe(
      'timeout',
    );
    expect(performance.now() - startedAt).toBeLessThan(400);
  });
});

describe('an agent that misbehaves', () => {
  it.each<[string, Behaviour, string]>([
    ['redirects', { kind: 'redirect', location: 'https://127.0.0.1:1/' }, 'redirect'],
    ['redirects permanently', { kind: 'redirect', location: '/other', status: 308 }, 'redirect'],
    ['says not modified', { kind: 'answer', output: {}, status: 304 }, 'redirect'],
    ['sends more than allowed', { kind: 'huge', bytes: 2_000_000 }, 'too_large'],
    ['announces more than allowed', { kind: 'huge', bytes: 2_000_000, announced: true }, 'too_large'],
    ['sends 101 headers', { kind: 'many_headers', count: 101, bytes: 1 }, 'bad_response'],
    ['sends 17 KB of headers', { kind: 'many_headers', count: 17, bytes: 1_000 }, 'bad_response'],
    ['encodes its answer', { kind: 'encoded', encoding: 'gzip', body: gzipSync('{}') }, 'bad_response'],
    ['encodes it in something unknown', { kind: 'encoded', encoding: 'x', body: Buffer.from('{}') }, 'bad_response'],
    ['dies mid-answer', { kind: 'dies_mid_answer' }, 'bad_response'],
    ['dies before an answer', { kind: 'dies_before_answer' }, 'unreachable'],
    ['does not speak HTTP', { kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' }, 'bad_response'],
    ['frames its answer twice', { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x' }, 'bad_response'],
    ['frames its answer in two ways', { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n' }, 'bad_response'],
    ['sends less than it announced', { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{}' }, 'bad_response'],
    ['switches protocols', { kind: 'raw', bytes: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n' }, 'bad_response'],
  ])('%s: fails the call as told', async (_what, behaviour, kind) => {
    expect(await kindOf(behaviour)).toBe(kind);
  }); // prettier-ignore

  it.each<[string, Behaviour]>([
    ['never answers', { kind: 'hangs' }],
    ['answers too late', { kind: 'slow', ms: 2_000 }],
    ['trickles', { kind: 'trickle', everyMs: 20 }],
    ['sends early hints for ever', { kind: 'endless_hints', everyMs: 5 }],
  ])('%s: is ended at the deadline, and its socket is freed', async (_what, behaviour) => {
    const startedAt = performance.now();
    expect(await kindOf(behaviour, { timeoutMs: 400 })).toBe('timeout');
    expect(performance.now() - startedAt).toBeGreaterThan(395);
    expect(performance.now() - startedAt).toBeLessThan(520);
  });

  it('has a certificate that nobody trusts, or none for its name: nothing is sent', async () => {
    const stranger = await startAgent({ certificate: 'stranger' });
    expect((await failureOf(call(stranger.url))).kind).toBe('tls');
    expect(stranger.deliveries).toHaveLength(0);
    await stranger.stop();
    const elsewhere = await startAgent({ host: '127.77.0.99' });
    expect((await failureOf(call(elsewhere.url))).kind).toBe('tls');
    expect(elsewhere.deliveries).toHaveLength(0);
    await elsewhere.stop();
  });

  it('is not there', async () => {
    expect((await failureOf(call(await refusingUrl()))).kind).toBe('unreachable');
  });

  it('does not make a second delivery out of a broken one', async () => {
    agent.behave({ kind: 'dies_before_answer' });
    expect((await failureOf(call(`https://half-dead.fixtures.example:${agent.port}/`))).kind).toBe(
      'unreachable',
    );
    expect(agent.deliveries).toHaveLength(1);
  });
});

describe('the caller', () => {
  it('ends a call by its signal, also one that has not begun', async () => {
    agent.behave({ kind: 'hangs' });
    const controller = new AbortController();
    const running = failureOf(call(agent.url, { signal: controller.signal }));
    await agent.waitForDeliveries(1);
    controller.abort();
    expect((await running).kind).toBe('aborted');
    expect((await failureOf(call(agent.url, { signal: controller.signal }))).kind).toBe('aborted');
    expect(agent.deliveries).toHaveLength(1);
  });

  it('sends nothing after the deadline', async () => {
    expect((await failureOf(call(agent.url, { timeoutMs: 0 }))).kind).toBe('timeout');
    expect(agent.deliveries).toHaveLength(0);
  });

  it('reads a stream as it comes, and leaves it when it has enough', async () => {
    const talker = await startAgent({ behaviour: { kind: 'trickle', everyMs: 10 } });
    const request = {
      url: talker.url,
      body: Buffer.from('{}'),
      headers: {},
      deadlineMs: Date.now() + 3_000,
      maxResponseBytes: 100,
    };
    const stream = await egress.open(request);
    expect(stream).toMatchObject({ status: 200, contentType: 'application/json' });
    expect(stream.header('transfer-encoding')).toBe('chunked');
    const chunks: string[] = [];
    for await (const chunk of stream.body) if (chunks.push(chunk.toString()) === 3) break;
    expect(chunks).toEqual([' ', ' ', ' ']);
    (await egress.open(request)).close();
    await sleep(50);
    expect(await talker.openConnections()).toBe(0);
    await talker.stop();
  });

  it('sees that a stream is too large, or late, in the middle of it', async () => {
    agent.behave({ kind: 'trickle', everyMs: 10 });
    const request = { url: agent.url, body: Buffer.from('{}'), headers: {} };
    const drain = async (limits: { deadlineMs: number; maxResponseBytes: number }) => {
      const { body } = await egress.open({ ...request, ...limits });
      for await (const chunk of body) void chunk;
    };
    const large = await failureOf(drain({ deadlineMs: Date.now() + 3_000, maxResponseBytes: 5 }));
    const late = await failureOf(drain({ deadlineMs: Date.now() + 200, maxResponseBytes: 1_000 }));
    expect([large.kind, late.kind]).toEqual(['too_large', 'timeout']);
  });
});

it('keeps the memory small when ten megabytes come as tiny chunks', async () => {
  const chunk = `1\r\n \r\n`.repeat(10_000);
  const bytes = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(100)}0\r\n\r\n`;
  const dripping = await startAgent({ behaviour: { kind: 'raw', bytes } });
  const before = process.memoryUsage().rss;
  const answer = await call(dripping.url, { timeoutMs: 15_000, maxResponseBytes: 2_000_000 });
  expect(answer.body).toHaveLength(1_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
  await dripping.stop();
}, 20_000);

it('tells buyers a code, and the same one for an unsafe as for an absent host', () => {
  expect(egressErrorToCode('unsafe_url')).toBe(egressErrorToCode('unreachable'));
  expect(egressErrorToCode('timeout')).toBe('agent_timeout');
  expect(egressErrorToCode('too_large')).toBe('response_too_large');
});
