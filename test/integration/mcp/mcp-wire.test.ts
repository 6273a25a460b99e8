/** The wire format of POST /mcp/a/{agent_id}: one row of the protocol's rules for each test. */
import fc from 'fast-check';
import { putLive, register, type TestUser } from '../../support/market';
import { legacy, MODERN, modern, post } from '../../support/protocols/mcp';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket({ operations: false, env: { ALLOWED_ORIGINS: 'https://app.example' } });
let buyer: TestUser;
let developer: TestUser;
const agent = useAgent();
let agentId: string;

beforeAll(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
});

const call = { name: 'invoke', arguments: { text: 'hello' } };
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

describe('authentication', () => {
  it('answers 401 with plain JSON and the schemes that authenticate', async () => {
    const answer = await legacy(market, null, agentId, 'initialize', initialize);
    expect(answer.status).toBe(401);
    expect(answer.body.error?.code).toBe('not_authenticated');
    expect(answer.headers.get('www-authenticate')).toContain(
      'ApiKey realm="market", in="header", name="X-API-Key"',
    );
  });

  it('answers an invalid key in the same way, also beside a valid session', async () => {
    for (const key of ['nonsense', `amk_live_${'x'.repeat(36)}`]) {
      const answer = await modern(market, buyer, agentId, 'tools/call', call, { 'x-api-key': key });
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'not_authenticated']);
      expect(answer.headers.get('www-authenticate')).toContain(
        'ApiKey realm="market", in="header", name="X-API-Key"',
      );
    }
  });

  it.each(['oauth-protected-resource', `oauth-protected-resource/mcp/a/x`])(
    'has no /.well-known/%s',
    async (path) => {
      expect((await fetch(`${market.url}/.well-known/${path}`)).status).toBe(404);
    },
  );

  it('serves live agents only', async () => {
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

  it('reads members that are null as absent, as many serializers write them', async () => {
    const send = (message: object) =>
      post(market, buyer, agentId, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })));
    for (const message of [
      { method: 'ping', params: null },
      { method: 'tools/list', params: null },
      { method: 'tools/list', params: { cursor: null, _meta: null } },
      { method: 'tools/list', params: { _meta: { progressToken: null } } },
    ])
      expect([message, (await send(message)).body.error]).toEqual([message, undefined]);
    const [tool] = (await send({ method: 'tools/list' })).body.result?.['tools'] as { name: string }[];
    const meta = {
      'io.market/idempotency_key': null,
      'io.market/max_cost_credits': null,
      'io.market/mandate': null,
    };
    const call = await send({
      method: 'tools/call',
      params: { name: tool?.name, arguments: null, _meta: meta },
    });
    expect([call.status, call.body.error]).toEqual([200, undefined]);
  });

  it('requires JSON', async () => {
    for (const contentType of ['text/plain', 'application/json; charset=latin1', undefined]) {
      const answer = await post(market, buyer, agentId, Buffer.from('{}'), { 'content-type': contentType });
      expect([answer.status, answer.body.error?.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('creates no session, and ignores a given one', async () => {
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

  it('refuses an unknown version after initialize, and assumes one if none is named', async () => {
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
    'has no method %s',
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

describe('any message', () => {
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

  it('gets an answer of the protocol, never an internal error', async () => {
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
