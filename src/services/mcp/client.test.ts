import { startAgent } from '../../../test/support/agents/test-agent';
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
  type McpMessage,
} from '../../../test/support/agents/mcp-script';
import { untilClosed } from '../../../test/support/stack/egress';
import {
  failureOf,
  startMcpClientFixture,
  type McpClientFixture,
} from '../../../test/support/protocols/mcp-client';

let fixture: McpClientFixture;

beforeAll(async () => {
  fixture = await startMcpClientFixture();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture.stop());

const echo: Answers = { 'tools/call': (message) => result(message, text('hello')) };

describe('eras', () => {
  it('sends one request to a modern server, and detects its era only once', async () => {
    fixture.server.behave(modernServer(echo));
    const target = fixture.targetOf();
    const answer = await fixture.call(target, { a: 1 });
    expect(JSON.parse(answer.json.toString())).toEqual(text('hello'));
    await fixture.call(target);
    expect(fixture.methods()).toEqual(['server/discover', 'tools/call', 'tools/call']);
    const delivery = fixture.server.deliveries[1] as Delivery;
    expect(messageOf(delivery).params).toEqual({
      name: 'echo',
      arguments: { a: 1 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'agent-marketplace', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {
          extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
        },
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

  it('does a handshake with a legacy server, keeps its session for the one call, and ends it', async () => {
    fixture.server.behave(legacyServer(echo, () => 'session-1'));
    const target = fixture.targetOf();
    await fixture.call(target);
    await fixture.call(target);
    await fixture.server.waitForDeliveries(9);
    const one = ['initialize', 'notifications/initialized', 'tools/call'];
    expect(fixture.methods()).toEqual(['server/discover', ...one, ...one]);
    expect(fixture.server.deliveries.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
    const [, hello, initialized, called] = fixture.server.deliveries;
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
    fixture.server.behave(legacyServer(lost, () => `session-${session}`));
    expect((await fixture.call()).json.toString()).toContain('found');
    expect(fixture.methods().filter((method) => method === 'initialize')).toHaveLength(2);
    expect(fixture.methods().filter((method) => method === 'server/discover')).toHaveLength(1);
  });

  it('fails when the new session is lost too', async () => {
    const lost: Answers = { 'tools/call': (message) => refusal(message, -32001, 404) };
    fixture.server.behave(legacyServer(lost, () => 's'));
    expect(await failureOf(fixture.call())).toBe('agent_error');
    expect(fixture.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  it('does one handshake with a server that supports no era', async () => {
    fixture.server.behave({ kind: 'status', status: 404 });
    expect(await failureOf(fixture.call())).toBe('agent_error');
    expect(fixture.methods()).toEqual(['server/discover', 'initialize', 'server/discover']);
  });

  it('calls a tool once if a refusal may come after the work', async () => {
    fixture.server.behave(modernServer({ 'tools/call': () => ({ kind: 'status', status: 400 }) }));
    expect(await failureOf(fixture.call())).toBe('agent_error');
    expect(fixture.methods()).toEqual(['server/discover', 'tools/call', 'server/discover']);
  });

  it('uses the modern era with a server that was only slow to answer the detection', async () => {
    const slow: Answers = { ...echo, 'server/discover': () => ({ kind: 'hangs' }) };
    fixture.server.behave(modernServer(slow));
    const answer = await fixture.call(fixture.targetOf(), {}, 2_000);
    expect(answer.json.toString()).toContain('hello');
    expect(fixture.methods()).toEqual(['server/discover', 'initialize', 'tools/call']);
  });

  it.each<[string, (delivery: Delivery) => Behaviour, (delivery: Delivery) => Behaviour]>([
    ['from modern to legacy', modernServer(echo), legacyServer(echo, () => 's')],
    ['from legacy to modern', legacyServer(echo, () => 's'), modernServer(echo)],
  ])('follows a server that goes %s', async (_name, before, after) => {
    const target = fixture.targetOf();
    fixture.server.behave(before);
    await fixture.call(target);
    fixture.server.behave(after);
    expect((await fixture.call(target)).json.toString()).toContain('hello');
  });

  it('falls back to the handshake if the detection of the era gets no answer', async () => {
    fixture.server.behave(legacyServer({ ...echo, 'server/discover': () => ({ kind: 'hangs' }) }));
    expect((await fixture.call(fixture.targetOf(), {}, 2_000)).json.toString()).toContain('hello');
  });

  it('does no handshake with a server that refuses the credential', async () => {
    fixture.server.behave({ kind: 'status', status: 401 });
    expect(await failureOf(fixture.call())).toBe('agent_error');
    expect(fixture.methods()).toEqual(['server/discover']);
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
    fixture.server.behave(
      modernServer({
        'tools/list': (message) => result(message, { tools }),
        'tools/call': (message, { headers }) =>
          headers['mcp-param-region'] === undefined
            ? refusal(message, -32020, 400)
            : result(message, text(String(headers['mcp-param-region']))),
      }),
    );
    expect((await fixture.call(fixture.targetOf(), { region: 'eu' })).json.toString()).toContain('"eu"');
    expect((await fixture.call(fixture.targetOf(), { region: 'Zürich' })).json.toString()).toContain(
      '=?base64?WsO8cmljaA==?=',
    );
  });
});

describe('streams', () => {
  it('are read up to the answer, past notifications, foreign ids and foreign events', async () => {
    const forged = (id: unknown) => ({ jsonrpc: '2.0', id, result: text('forged') });
    fixture.server.behave(
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
    expect(JSON.parse((await fixture.call()).json.toString())).toEqual(text('true'));
  });

  it('fail at once when they end early', async () => {
    const progress = event({ jsonrpc: '2.0', method: 'notifications/progress' });
    fixture.server.behave(modernServer({ 'tools/call': () => stream([progress]) }));
    const startedAt = performance.now();
    expect(await failureOf(fixture.call(fixture.targetOf(), {}, 30_000))).toBe('agent_error');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    fixture.server.behave(modernServer({ 'tools/call': () => stream([progress], 'dies') }));
    expect(await failureOf(fixture.call(fixture.targetOf(), {}, 30_000))).toBe('bad_response');
  });

  it('end at the deadline when they do not end, and leave nothing open', async () => {
    const quiet = await startAgent({
      behaviour: modernServer({ 'tools/call': () => stream([': quiet\n\n'], 'hangs') }),
    });
    expect(await failureOf(fixture.call(fixture.targetOf({ url: quiet.url }), {}, 1_000))).toBe('timeout');
    await untilClosed(quiet);
    await quiet.stop();
  });

  it('end at the limit of bytes in the middle of a line', async () => {
    function* line() {
      yield 'data: "';
      for (let sent = 0; sent < 100; sent += 1) yield 'x'.repeat(1024 * 1024);
    }
    fixture.server.behave(
      modernServer({
        'tools/call': () => ({ kind: 'stream', contentType: 'text/event-stream', parts: line }),
      }),
    );
    expect(await failureOf(fixture.call())).toBe('too_large');
  });
});

describe('a server that ends its stream before the answer', () => {
  const PRIMING = 'id: 1\nretry: 150\ndata:\n\n';
  /** Ends each stream with `first` and then `rounds` times without the answer. */
  const polled = (rounds: number, first: Behaviour = stream([PRIMING])) => {
    let asked: McpMessage = { method: '' };
    const server = legacyServer(
      {
        'tools/call': (message) => {
          asked = message;
          return first;
        },
      },
      () => 'session-1',
    );
    let gets = 0;
    fixture.server.behave((delivery) => {
      if (delivery.method !== 'GET') return server(delivery);
      gets += 1;
      if (gets <= rounds) return stream([`id: ${gets + 1}\ndata:\n\n`]);
      return stream([event({ jsonrpc: '2.0', id: asked.id, result: text('late') })]);
    });
  };
  const getsOf = () => fixture.server.deliveries.filter(({ method }) => method === 'GET');

  it('is requested again from its last event on, after the pause that it names', async () => {
    polled(2);
    expect((await fixture.call()).json.toString()).toContain('late');
    expect(getsOf().map(({ headers }) => headers['last-event-id'])).toEqual(['1', '2', '3']);
    for (const { headers, body } of getsOf()) {
      expect(headers).toMatchObject({
        'mcp-session-id': 'session-1',
        accept: 'text/event-stream',
        'x-key': 'secret',
      });
      expect(body).toHaveLength(0);
    }
    const times = getsOf().map(({ at }) => at);
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThan(140);
  });

  it('is requested again after a broken connection too', async () => {
    polled(0, stream([PRIMING], 'dies'));
    expect((await fixture.call()).json.toString()).toContain('late');
  });

  it('fails if it sent no event id, or if it does not know the stream', async () => {
    polled(0, stream(['data:\n\n']));
    expect(await failureOf(fixture.call())).toBe('agent_error');
    expect(getsOf()).toHaveLength(0);
    const server = legacyServer({ 'tools/call': () => stream([PRIMING]) });
    fixture.server.behave((delivery) =>
      delivery.method === 'GET' ? { kind: 'status', status: 405 } : server(delivery),
    );
    expect(await failureOf(fixture.call())).toBe('agent_error');
  });
});
