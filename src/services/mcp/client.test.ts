import { startAgent, type TestAgent } from '../../../test/support/agents/test-agent';
import type { Behaviour, Delivery } from '../../../test/support/agents/behaviours';
import {
  event,
  legacyServer,
  messageOf,
  modernServer,
  refusal,
  result,
  stream,
  text,
  type Answers,
} from '../../../test/support/agents/mcp-script';
import { egressSettings } from '../../../test/support/egress';
import { createEgress, type Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { MarketError } from '../../domain/errors';
import { createMcpClient, type McpClient } from './client';
import type { McpTarget } from './exchange';

let egress: Egress;
let client: McpClient;
let server: TestAgent;
let keys = 0;

beforeAll(async () => {
  server = await startAgent();
  egress = createEgress(egressSettings());
});
beforeEach(() => {
  server.forget();
  client = createMcpClient({ egress });
});
afterAll(async () => {
  await egress.close();
  await server.stop();
});

function targetOf(more: Partial<McpTarget> = {}): McpTarget {
  keys += 1;
  return { url: `${server.url}/mcp`, headers: { 'x-key': 'secret' }, cacheKey: `v${keys}`, ...more };
}

function call(target = targetOf(), args: Record<string, unknown> = {}, more: { timeoutMs?: number } = {}) {
  const { timeoutMs = 5_000 } = more;
  const limits = { deadlineMs: Date.now() + timeoutMs, maxResponseBytes: 1_000_000 };
  return client.callTool(target, { tool: 'echo', arguments: args }, limits);
}

function list(target = targetOf()) {
  return client.listTools(target, { deadlineMs: Date.now() + 5_000, maxResponseBytes: 1_000_000 });
}

function methods(): string[] {
  return server.deliveries.map((delivery) => messageOf(delivery).method || delivery.method);
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    (value) => new Error(`answered: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof EgressError) return error.kind;
  if (error instanceof MarketError) return error.code;
  throw error;
}

const echo: Answers = { 'tools/call': (message) => result(message, text('hello')) };

describe('eras', () => {
  it('says everything in one request to a modern server, and asks which era only once', async () => {
    server.behave(modernServer(echo));
    const target = targetOf();
    const answer = await call(target, { a: 1 });
    expect(JSON.parse(answer.json.toString())).toEqual(text('hello'));
    await call(target);
    expect(methods()).toEqual(['server/discover', 'tools/call', 'tools/call']);
    const delivery = server.deliveries[1] as Delivery;
    expect(messageOf(delivery).params).toEqual({
      name: 'echo',
      arguments: { a: 1 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'agent-marketplace', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    });
    expect(delivery.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'x-key': 'secret',
    });
  });

  it('shakes hands with a legacy server, keeps its session for the one call, and ends it', async () => {
    server.behave(legacyServer(echo, () => 'session-1'));
    const target = targetOf();
    await call(target);
    await call(target);
    await server.waitForDeliveries(9);
    const one = ['initialize', 'notifications/initialized', 'tools/call'];
    expect(methods().filter((method) => method !== 'DELETE')).toEqual(['server/discover', ...one, ...one]);
    expect(methods().filter((method) => method === 'DELETE')).toHaveLength(2);
    const [, hello, initialized, called] = server.deliveries;
    expect(hello?.headers['mcp-session-id']).toBeUndefined();
    expect(messageOf(hello as Delivery).params?.['protocolVersion']).toBe('2025-11-25');
    for (const delivery of [initialized, called]) {
      expect(delivery?.headers).toMatchObject({
        'mcp-session-id': 'session-1',
        'mcp-protocol-version': '2025-11-25',
      });
    }
  });

  it('takes a new session when the server has lost the old one', async () => {
    let session = 1;
    const lost: Answers = {
      'tools/call': (message) => {
        session += 1;
        return session === 2 ? refusal(message, -32001, 404) : result(message, text('found'));
      },
    };
    server.behave(legacyServer(lost, () => `session-${session}`));
    expect((await call()).json.toString()).toContain('found');
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it.each<[string, (delivery: Delivery) => Behaviour, (delivery: Delivery) => Behaviour]>([
    ['from modern to legacy', modernServer(echo), legacyServer(echo, () => 's')],
    ['from legacy to modern', legacyServer(echo, () => 's'), modernServer(echo)],
  ])('follows a server that goes %s', async (_name, before, after) => {
    const target = targetOf();
    server.behave(before);
    await call(target);
    server.behave(after);
    expect((await call(target)).json.toString()).toContain('hello');
  });

  it('falls back to the handshake when the question for the era is not answered', async () => {
    server.behave(legacyServer({ ...echo, 'server/discover': () => ({ kind: 'hangs' }) }));
    expect((await call(targetOf(), {}, { timeoutMs: 2_000 })).json.toString()).toContain('hello');
  });

  it('does not shake hands with a server that refuses us', async () => {
    server.behave({ kind: 'status', status: 401 });
    expect(await failure(call())).toBe('agent_error');
    expect(methods()).toEqual(['server/discover']);
  });
});

describe('headers that repeat arguments', () => {
  const tools = [
    {
      name: 'echo',
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
  ];

  it('are sent when the server insists', async () => {
    server.behave(
      modernServer({
        'tools/list': (message) => result(message, { tools }),
        'tools/call': (message, { headers }) =>
          headers['mcp-param-region'] === undefined
            ? refusal(message, -32020, 400)
            : result(message, text(String(headers['mcp-param-region']))),
      }),
    );
    expect((await call(targetOf(), { region: 'eu' })).json.toString()).toContain('"eu"');
    expect((await call(targetOf(), { region: 'Zürich' })).json.toString()).toContain(
      '=?base64?WsO8cmljaA==?=',
    );
  });
});

describe('streams', () => {
  it('are read up to the answer, past notifications, foreign ids and foreign events', async () => {
    const forged = (id: unknown) => ({ jsonrpc: '2.0', id, result: text('forged') });
    server.behave(
      modernServer({
        'tools/call': (message) =>
          stream([
            ': keepalive\n\n',
            'id: 1\ndata:\n\n',
            event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }),
            event({ jsonrpc: '2.0', id: 99, method: 'sampling/createMessage', params: {} }),
            event(forged(12_345)),
            event(forged(String(message.id))),
            event(forged(message.id), 'usage'),
            event({ jsonrpc: '2.0', id: message.id, result: text('true') }, 'message'),
            event(forged(message.id)),
          ]),
      }),
    );
    expect(JSON.parse((await call()).json.toString())).toEqual(text('true'));
  });

  it('fail at once when they end early', async () => {
    const progress = event({ jsonrpc: '2.0', method: 'notifications/progress' });
    server.behave(modernServer({ 'tools/call': () => stream([progress]) }));
    const startedAt = performance.now();
    expect(await failure(call(targetOf(), {}, { timeoutMs: 30_000 }))).toBe('agent_error');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    server.behave(modernServer({ 'tools/call': () => stream([progress], 'dies') }));
    expect(await failure(call(targetOf(), {}, { timeoutMs: 30_000 }))).toBe('bad_response');
  });

  it('end at the deadline when they do not end', async () => {
    server.behave(modernServer({ 'tools/call': () => stream([': quiet\n\n'], 'hangs') }));
    expect(await failure(call(targetOf(), {}, { timeoutMs: 1_000 }))).toBe('timeout');
  });

  it('end at the limit of bytes in the middle of a line', async () => {
    function* line() {
      yield 'data: "';
      for (let sent = 0; sent < 100; sent += 1) yield 'x'.repeat(1024 * 1024);
    }
    server.behave(
      modernServer({
        'tools/call': () => ({ kind: 'stream', contentType: 'text/event-stream', parts: line }),
      }),
    );
    expect(await failure(call())).toBe('too_large');
  });
});

describe('answers that are none', () => {
  const answers: [string, (message: { id?: number; method: string }) => Behaviour, string][] = [
    ['to another id', () => ({ kind: 'answer', output: { jsonrpc: '2.0', id: 77, result: text('x') } }), 'agent_error'],
    ['not JSON-RPC', () => ({ kind: 'answer', output: { hello: 'world' } }), 'agent_error'],
    ['a page', () => ({ kind: 'not_json' }), 'agent_error'],
    ['both result and error', (message) => ({ kind: 'answer', output: { jsonrpc: '2.0', id: message.id, result: {}, error: { code: 1, message: '' } } }), 'agent_error'],
    ['an error in terms of JSON-RPC', (message) => refusal(message, -32602), 'agent_error'],
    ['an unknown kind of result', (message) => result(message, { resultType: 'input_required', inputRequests: {} }), 'agent_error'],
    ['a result that is no tool result', (message) => result(message, { content: 'x' }), 'agent_error'],
    ['accepted without an answer', () => ({ kind: 'answer', status: 202, output: null }), 'agent_error'],
    ['a server error', () => ({ kind: 'status', status: 500 }), 'agent_error'],
    ['a redirect', () => ({ kind: 'redirect', location: 'https://127.0.0.1/' }), 'redirect'],
    ['an event that is not JSON', () => stream(['data: {"jsonrpc"\n\n']), 'agent_error'],
    ['bytes that are not UTF-8', () => ({ kind: 'stream', contentType: 'text/event-stream', parts: () => [Buffer.from([0x64, 0x61, 0xff, 0x0a, 0x0a])] }), 'agent_error'],
  ]; // prettier-ignore

  it.each(answers)('%s', async (_name, behaviour, kind) => {
    server.behave(modernServer({ 'tools/call': behaviour }));
    expect(await failure(call())).toBe(kind);
  });

  it('gives the result of a tool that failed as it is', async () => {
    const own = { ...text('no such city', true), _meta: { 'example.com/x': 1 }, more: [1] };
    server.behave(modernServer({ 'tools/call': (message) => result(message, own) }));
    const answer = await call();
    expect(answer.isError).toBe(true);
    expect(JSON.parse(answer.json.toString())).toEqual(own);
  });
});

describe('a list of tools', () => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

  it('is read page by page', async () => {
    server.behave(
      legacyServer(
        {
          'tools/list': (message) => {
            const page = Number(message.params?.['cursor'] ?? 0);
            return result(message, {
              tools: [tool(`t${page}`)],
              ...(page < 3 && { nextCursor: String(page + 1) }),
            });
          },
        },
        () => 's',
      ),
    );
    expect((await list()).map(({ name }) => name)).toEqual(['t0', 't1', 't2', 't3']);
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it.each<[string, (message: { params?: Record<string, unknown> }) => unknown]>([
    [
      'that does not end',
      ({ params }) => ({
        tools: [tool('x')],
        nextCursor: `${(params?.['cursor'] as string | undefined) ?? ''}x`,
      }),
    ],
    ['that goes in circles', () => ({ tools: [tool('x')], nextCursor: 'again' })],
    ['of things that are no tools', () => ({ tools: ['x'] })],
    ['of too many tools', () => ({ tools: Array.from({ length: 1_001 }, () => tool('x')) })],
    ['that is none', () => ({})],
  ])('%s is an error', async (_name, answer) => {
    server.behave(modernServer({ 'tools/list': (message) => result(message, answer(message)) }));
    expect(await failure(list())).toBe('agent_error');
    expect(server.deliveries.length).toBeLessThan(60);
  });
});
