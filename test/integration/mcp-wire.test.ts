/** What is on the wire of POST /mcp/a/{agent_id}: one row of the protocol's rules for each test. */
import fc from 'fast-check';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { legacy, MODERN, modern, modernBody, post } from '../support/mcp';

let market: TestMarket;
let buyer: TestUser;
let developer: TestUser;
let agent: TestAgent;
let agentId: string;

beforeAll(async () => {
  market = await startMarket({ operations: false, env: { ALLOWED_ORIGINS: 'https://app.example' } });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  agent = await startAgent();
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
});
afterAll(async () => {
  await agent.stop();
  await expectWholeLedger(market);
  await market.stop();
});

const call = { name: 'invoke', arguments: { text: 'hello' } };
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

describe('who may ask', () => {
  it('answers 401 with plain JSON and without a challenge', async () => {
    const answer = await legacy(market, null, agentId, 'initialize', initialize);
    expect(answer.status).toBe(401);
    expect(answer.body.error?.code).toBe('not_authenticated');
    expect(answer.headers.get('www-authenticate')).toBeNull();
  });

  it('answers a key that is none in the same way, whatever session comes with it', async () => {
    for (const key of ['nonsense', `amk_live_${'x'.repeat(36)}`]) {
      const answer = await modern(market, buyer, agentId, 'tools/call', call, { 'x-api-key': key });
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'not_authenticated']);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });

  it.each(['oauth-protected-resource', `oauth-protected-resource/mcp/a/x`, 'oauth-authorization-server'])(
    'has no /.well-known/%s',
    async (path) => {
      expect((await fetch(`${market.url}/.well-known/${path}`)).status).toBe(404);
    },
  );

  it('knows only live agents', async () => {
    const answer = await legacy(market, buyer, 'agt_nobody_v1', 'initialize', initialize);
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'not_found']);
    expect((await legacy(market, buyer, 'no-agent-id', 'ping')).status).toBe(404);
  });

  it.each(['https://evil.example', 'null'])(
    'refuses pages of %s, also where a GET says so',
    async (origin) => {
      for (const method of ['POST', 'GET', 'DELETE']) {
        const response = await fetch(`${market.url}/mcp/a/${agentId}`, {
          method,
          headers: { origin, 'sec-fetch-site': 'none', cookie: buyer.cookie },
        });
        expect([method, response.status]).toEqual([method, 403]);
      }
    },
  );

  it('takes pages of its own origins', async () => {
    const headers = { origin: 'https://app.example' };
    expect((await legacy(market, buyer, agentId, 'ping', undefined, headers)).status).toBe(200);
  });
});

describe('HTTP', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH'])('answers %s with 405 and Allow', async (method) => {
    const headers = { accept: 'text/event-stream', cookie: buyer.cookie };
    const response = await fetch(`${market.url}/mcp/a/${agentId}`, { method, headers });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
  });

  it.each([undefined, '*/*', 'application/json', 'text/event-stream', 'text/html'])(
    'answers one JSON document to Accept: %s, in both eras',
    async (accept) => {
      for (const ask of [legacy, modern]) {
        const answer = await ask(market, buyer, agentId, 'tools/list', {}, { accept });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(answer.body.result?.['tools']).toHaveLength(1);
      }
    },
  );

  it('wants JSON', async () => {
    for (const contentType of ['text/plain', 'application/json; charset=latin1', undefined]) {
      const answer = await post(market, buyer, agentId, Buffer.from('{}'), { 'content-type': contentType });
      expect([answer.status, answer.body.error?.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('mints no session and ignores one', async () => {
    const headers = { 'mcp-session-id': 'abc', 'last-event-id': '7' };
    for (const ask of [legacy, modern]) {
      const answer = await ask(market, buyer, agentId, 'tools/list', {}, headers);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('mcp-session-id')).toBeNull();
    }
  });

  it.each(['{', '', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', '{"id":9007199254740993}', '\u00ff{'])(
    'answers unreadable JSON with -32700: %s',
    async (text) => {
      const answer = await post(market, buyer, agentId, Buffer.from(text, 'latin1'));
      expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([400, -32700, null]);
      expect(answer.body.jsonrpc).toBe('2.0');
    },
  );

  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], null],
    ['text', '"ping"', null],
    ['no version', { id: 7, method: 'ping' }, 7],
    ['an answer', { jsonrpc: '2.0', id: 7, result: {} }, 7],
    ['id null', { jsonrpc: '2.0', id: null, method: 'ping' }, null],
    ['a fraction as id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, null],
    ['a list of params', { jsonrpc: '2.0', id: 'x', method: 'ping', params: [] }, 'x'],
  ])('answers %s with -32600', async (_name, body, id) => {
    const answer = await post(market, buyer, agentId, body);
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([400, -32600, id]);
  });

  it('takes notifications with 202 and nothing else, and makes no call of one', async () => {
    agent.forget();
    const notes = [
      post(market, buyer, agentId, { jsonrpc: '2.0', method: 'notifications/initialized' }),
      post(market, buyer, agentId, { jsonrpc: '2.0', method: 'tools/call', params: call }),
      post(
        market,
        buyer,
        agentId,
        { jsonrpc: '2.0', method: 'notifications/cancelled' },
        { 'mcp-protocol-version': MODERN },
      ),
    ];
    for (const answer of await Promise.all(notes)) expect([answer.status, answer.text]).toEqual([202, '']);
    expect(agent.deliveries).toHaveLength(0);
  });
});

describe('the era that opens with initialize', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('speaks %s', async (version) => {
    const answer = await legacy(market, buyer, agentId, 'initialize', {
      ...initialize,
      protocolVersion: version,
    });
    expect(answer.status).toBe(200);
    expect(answer.body.result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: agentId, title: 'Echo agent', version: '1.0.0' },
    });
    expect(Object.keys(answer.body.result?.['capabilities'] as object)).toEqual(['tools']);
    expect(answer.body.result?.['capabilities'].tools).toEqual({});
    const headers = { 'mcp-protocol-version': version };
    expect((await legacy(market, buyer, agentId, 'ping', undefined, headers)).body.result).toEqual({});
  });

  it.each(['2026-07-28', '1.0', '2099-01-01'])('offers its newest version for %s', async (version) => {
    const params = { ...initialize, protocolVersion: version };
    const answer = await legacy(market, buyer, agentId, 'initialize', params);
    expect(answer.body.result?.['protocolVersion']).toBe('2025-11-25');
  });

  it('refuses a version that it does not know after initialize, and assumes one where none is named', async () => {
    const unknown = await legacy(
      market,
      buyer,
      agentId,
      'ping',
      {},
      { 'mcp-protocol-version': '1999-01-01' },
    );
    expect([unknown.status, unknown.body.error?.data.requested]).toEqual([400, '1999-01-01']);
    expect((await legacy(market, buyer, agentId, 'ping')).status).toBe(200);
  });

  it.each(['logging/setLevel', 'resources/list', 'server/discover', 'toString', '__proto__'])(
    'does not know %s',
    async (method) => {
      const answer = await legacy(market, buyer, agentId, method);
      expect([answer.status, answer.body.error?.code]).toEqual([200, -32601]);
    },
  );

  it('asks initialize for a version', async () => {
    const answer = await legacy(market, buyer, agentId, 'initialize', {});
    expect(answer.body.error?.code).toBe(-32602);
  });

  it('adds nothing of the later era to its results', async () => {
    const { result } = (await legacy(market, buyer, agentId, 'tools/list')).body;
    expect(Object.keys(result ?? {})).toEqual(['tools']);
  });
});

describe('2026-07-28', () => {
  it('answers server/discover with versions, capabilities, and for how long that holds', async () => {
    const answer = await modern(market, buyer, agentId, 'server/discover');
    expect(answer.status).toBe(200);
    expect(answer.body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([MODERN, '2025-11-25']) as unknown,
      capabilities: { tools: {} },
      ttlMs: expect.any(Number) as unknown,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: agentId, version: '1.0.0' } },
    });
  });

  it('marks the list of tools in the same way', async () => {
    const { result } = (await modern(market, buyer, agentId, 'tools/list')).body;
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' });
    expect(result?.['nextCursor']).toBeUndefined();
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'subscriptions/listen', 'constructor'])(
    'answers %s with 404 and -32601',
    async (method) => {
      const answer = await modern(market, buyer, agentId, method);
      expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([404, -32601, 1]);
    },
  );

  const mismatches: [string, Record<string, string | undefined>][] = [
    ['no MCP-Protocol-Version', { 'mcp-protocol-version': undefined }],
    ['another MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no Mcp-Method', { 'mcp-method': undefined }],
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['Mcp-Method in other letters', { 'mcp-method': 'Tools/Call' }],
    ['no Mcp-Name', { 'mcp-name': undefined }],
    ['another Mcp-Name', { 'mcp-name': 'other' }],
    ['a broken Mcp-Name', { 'mcp-name': '=?base64?!?=' }],
  ];
  it.each(mismatches)('refuses %s with 400 and -32020', async (_name, headers) => {
    agent.forget();
    const answer = await modern(market, buyer, agentId, 'tools/call', call, headers);
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([400, -32020, 1]);
    expect(agent.deliveries).toHaveLength(0);
  });

  it('reads an encoded Mcp-Name', async () => {
    const encoded = `=?base64?${Buffer.from('invoke').toString('base64')}?=`;
    const answer = await modern(market, buyer, agentId, 'tools/call', call, { 'mcp-name': encoded });
    expect(answer.body.result?.['structuredContent']).toEqual({ text: 'hello' });
  });

  it('refuses a version that it does not speak with 400 and -32022', async () => {
    const body = modernBody('tools/list', {
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    });
    const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
    const answer = await post(market, buyer, agentId, body, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32022]);
    expect(answer.body.error?.data).toEqual({
      supported: expect.arrayContaining([MODERN]) as unknown,
      requested: '2099-01-01',
    });
  });

  it.each([
    ['protocolVersion', { 'io.modelcontextprotocol/clientCapabilities': {} }],
    ['clientCapabilities', { 'io.modelcontextprotocol/protocolVersion': MODERN }],
    ['anything', undefined],
  ])('refuses _meta without %s with 400 and -32602', async (_name, meta) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: meta ? { _meta: meta } : {} };
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };
    const answer = await post(market, buyer, agentId, body, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32602]);
  });

  it('refuses initialize under its header', async () => {
    const headers = { 'mcp-protocol-version': MODERN };
    const answer = await legacy(market, buyer, agentId, 'initialize', initialize, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32020]);
  });

  describe('arguments that are repeated in headers', () => {
    let mirrored: string;
    beforeAll(async () => {
      const inputSchema = {
        type: 'object',
        properties: {
          text: { type: 'string', 'x-mcp-header': 'Text' },
          n: { type: 'integer', 'x-mcp-header': 'N' },
        },
      };
      ({ agentId: mirrored } = await putLive(market, developer.userId, agent.url, {
        inputSchema,
        credits: 1,
      }));
    });
    const ask = (headers: Record<string, string>, args: object = { text: 'héllo', n: 3 }) =>
      modern(market, buyer, mirrored, 'tools/call', { name: 'invoke', arguments: args }, headers);
    const text = `=?base64?${Buffer.from('héllo').toString('base64')}?=`;

    it('must be there and the same', async () => {
      for (const headers of [
        {},
        { 'mcp-param-text': text },
        { 'mcp-param-text': 'hello', 'mcp-param-n': '3' },
        { 'mcp-param-text': text, 'mcp-param-n': '4' },
      ] as Record<string, string>[]) {
        const answer = await ask(headers);
        expect([answer.status, answer.body.error?.code]).toEqual([400, -32020]);
      }
      const same = await ask({ 'mcp-param-text': text, 'mcp-param-n': '3.0' });
      expect(same.body.result?.['structuredContent']).toEqual({ text: 'héllo', n: 3 });
    });

    it('need no header where they are absent, and none in the era before', async () => {
      const absent = await ask({ 'mcp-param-text': 'x' }, { text: 'x' });
      expect(absent.body.result?.['isError']).toBeUndefined();
      const before = await legacy(market, buyer, mirrored, 'tools/call', call);
      expect(before.body.result?.['isError']).toBeUndefined();
    });
  });
});

describe('whatever comes', () => {
  const key = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'name', 'arguments', '_meta', 'cursor');
  const odd = fc.oneof(
    fc.constantFrom<unknown>('2.0', 'tools/call', 'tools/list', 'initialize', 'invoke', null, -1, 1e308, ''),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const params = fc.dictionary(key, odd, { maxKeys: 4 });
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', null),
      id: odd,
      method: fc.oneof(
        fc.constantFrom('initialize', 'tools/list', 'tools/call', 'server/discover', 'ping'),
        odd,
      ),
      params: fc.oneof(params, odd),
    },
    { requiredKeys: [] },
  );
  const version = fc.constantFrom(undefined, MODERN, '2025-06-18', '2099-12-31', 'x');

  it('is answered by the protocol, never as a fault of ours', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, odd), version, fc.boolean(), async (body, named, isModern) => {
        const meta = { 'io.modelcontextprotocol/protocolVersion': named, 'io.market/max_cost_credits': body };
        const whole = isModern && typeof body === 'object' ? { ...body, params: { _meta: meta } } : body;
        const answer = await post(market, buyer, agentId, whole, { 'mcp-protocol-version': named });
        expect([200, 202, 400, 404]).toContain(answer.status);
        if (answer.status !== 202) expect(answer.body.jsonrpc).toBe('2.0');
      }),
      { numRuns: 150 },
    );
  });
});
