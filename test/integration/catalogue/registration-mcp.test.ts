import type { Behaviour, BehaviourChoice, Delivery } from '../../support/agents/behaviours';
import { startAgent } from '../../support/agents/test-agent';
import { modernServer, refusal } from '../../support/agents/mcp-script';
import { eventually, invoke, register } from '../../support/market';
import { rpcEvents } from '../../support/protocols/mcp-upstream';
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import {
  registerAgent,
  registerLive,
  registerServing,
  registration,
  untilVersions,
} from '../../support/catalogue/registrations';
import { useMarket } from '../../support/use-market';

const TOOL = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } };

const market = useMarket();
let developer: TestDeveloper;

beforeAll(async () => {
  developer = await registerDeveloper(market);
});

/** An MCP server of the era with a handshake, without sessions. */
function mcpServer(tools: unknown[], capabilities: object = { tools: {} }): BehaviourChoice {
  return ({ body }) => {
    const { id, method } = JSON.parse(body.toString() || '{}') as { id?: number; method?: string };
    const result = (value: unknown): Behaviour => ({
      kind: 'answer',
      output: { jsonrpc: '2.0', id, result: value },
    });
    if (method === 'initialize') {
      return result({
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo: { name: 'calculator', version: '1' },
      });
    }
    if (method === 'notifications/initialized') return { kind: 'answer', output: {}, status: 202 };
    if (method === 'tools/list') return result({ tools });
    if (method === 'tools/call') return result({ content: [{ type: 'text', text: '3' }] });
    const error = { code: -32601, message: 'Method not found' };
    return { kind: 'answer', output: { jsonrpc: '2.0', id, error } };
  };
}

const methodOf = ({ body }: Delivery) => (JSON.parse(body.toString() || '{}') as { method?: string }).method;

function mcpRegistration(url: string, changes: Record<string, unknown> = {}) {
  const access = { endpoint_url: `${url}/mcp`, protocol: 'mcp', price_per_call_units: 400 };
  return registration(url, { access_config: access, ...changes });
}

describe('an MCP server', () => {
  it('is asked for its tools with its credential, and goes live if it lists one', async () => {
    const server = await startAgent({ behaviour: mcpServer([TOOL]) });
    const auth = { upstream_auth: { header: 'X-Tool-Token', key: 'tool-secret-1234' } };
    const agentId = await registerLive(market, developer, mcpRegistration(server.url, auth));
    const methods = server.deliveries.map(methodOf);
    expect(methods).toEqual(
      expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list']),
    );
    for (const { headers, path } of server.deliveries) {
      expect(headers['x-tool-token']).toBe('tool-secret-1234');
      expect(path).toBe('/mcp');
    }
    const listing = await request(market, developer, 'GET', `/v1/listings/${agentId}`);
    expect(listing.body).toMatchObject({ protocol: 'mcp', pricing: { credits_per_call: 4 } });
    const found = await request<{ items: { agent_id: string }[] }>(
      market,
      developer,
      'GET',
      '/v1/listings?protocol=mcp',
    );
    expect(found.body.items.map((item) => item.agent_id)).toContain(agentId);
    await server.stop();
  });

  it('is invoked with a tool and its arguments', async () => {
    const server = await startAgent({ behaviour: mcpServer([TOOL]) });
    const buyer = await register(market, 'buyer', 100);
    const agentId = await registerLive(market, developer, mcpRegistration(server.url));
    const reply = await invoke(market, buyer, agentId, { input: { tool: 'add', arguments: { a: 1, b: 2 } } });
    expect(reply.body).toMatchObject({
      output: { content: [{ type: 'text', text: '3' }] },
      usage: { credits_charged: 4 },
    });
    const call = server.deliveries.find((delivery) => methodOf(delivery) === 'tools/call');
    expect(JSON.parse(call?.body.toString() ?? '{}')).toMatchObject({
      params: { name: 'add', arguments: { a: 1, b: 2 } },
    });
    await server.stop();
  });

  it('is found by its tools, as its verification has seen them', async () => {
    const words = ['quuxify', 'frobnicated', 'blorptitle', 'zorbium', 'wibblefield'];
    const inputSchema = {
      type: 'object',
      properties: { wibbleField: { description: 'How much zorbium.\u0000\ud800' } },
    };
    const quux = {
      name: 'quuxify_all',
      title: 'Blorptitle',
      description: 'Shows what is frobnicated.',
      inputSchema,
    };
    const tools: unknown[] = [quux, ...Array.from({ length: 400 }, (_, at) => ({ ...TOOL, name: `t${at}` }))];
    const server = await startAgent({ behaviour: mcpServer(tools) });
    const agentId = await registerLive(market, developer, mcpRegistration(server.url));
    const finds = async (q: string) => {
      const path = `/v1/listings?q=${encodeURIComponent(`please ${q}`)}`;
      const { body } = await request<{ items: { agent_id: string }[] }>(market, developer, 'GET', path);
      return body.items.map((item) => item.agent_id).includes(agentId);
    };
    expect(await Promise.all(words.map(finds))).toEqual(words.map(() => true));
    tools[0] = { ...quux, name: 'snarkify' };
    const { verificationStages } = market.container;
    await verificationStages.reprobe(agentId, 'inv_tools', new AbortController().signal);
    expect(await Promise.all(['snarkify', 'zorbium', 'quuxify'].map(finds))).toEqual([false, true, true]);
    await eventually(() => finds('snarkify'), 60_000);
    expect(await Promise.all(['zorbium', 'quuxify'].map(finds))).toEqual([true, false]);
    await server.stop();
  });

  it('has its own time and a metered price', async () => {
    let isSlow = false;
    const tools = mcpServer([TOOL]) as (delivery: Delivery) => Behaviour;
    const server = await startAgent({
      behaviour: (delivery) =>
        isSlow && methodOf(delivery) === 'tools/call'
          ? { kind: 'slow', ms: 1_500, then: tools(delivery) }
          : tools(delivery),
    });
    const buyer = await register(market, 'buyer', 100);
    const own = {
      access_config: { endpoint_url: `${server.url}/mcp`, protocol: 'mcp' },
      pricing: { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 5 },
      timeout_ms: 1_000,
    };
    const agentId = await registerServing(market, developer, registration(server.url, own));
    const input = { tool: 'add', arguments: { a: 1, b: 2 } };
    const reply = await invoke(market, buyer, agentId, { input });
    expect(reply.body).toMatchObject({ usage: { credits_charged: 1 } });
    isSlow = true;
    const late = await invoke(market, buyer, agentId, { input });
    expect([late.status, late.body['error']]).toMatchObject([504, { code: 'agent_timeout' }]);
    await server.stop();
  });

  it('has what does not pass to buyers named in its report, without a deduction, and in the notices', async () => {
    const inTasks = { ...TOOL, name: 'slow', execution: { taskSupport: 'required' } };
    const extensions = { 'io.modelcontextprotocol/ui': {} };
    const offered = {
      tools: {},
      resources: { subscribe: true },
      experimental: { 'acme/dreams': {} },
      extensions,
    };
    const tools = [TOOL, inTasks];
    const usual = mcpServer(tools, offered) as (delivery: Delivery) => Behaviour;
    const asking = ({ body }: Delivery, method: string, end: object) => {
      const { id } = JSON.parse(body.toString()) as { id: number };
      return rpcEvents(
        [
          { id: 'theirs', method, params: {} },
          { id, ...end },
        ].map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`),
      );
    };
    const server = await startAgent({
      behaviour: (delivery) => {
        const method = methodOf(delivery);
        if (method === 'tools/list') return asking(delivery, 'roots/list', { result: { tools } });
        if (method !== 'tools/call') return usual(delivery);
        return asking(delivery, 'sampling/createMessage', { error: { code: -32601, message: 'No' } });
      },
    });
    const agentId = await registerLive(market, developer, mcpRegistration(server.url));
    interface Found {
      category: string;
      description: string;
      points_lost: number;
    }
    const found = async () => {
      const path = `/v1/agents/${agentId}/trust-report`;
      const { body } = await request<{ stages: { dynamic_testing: { findings: Found[] } } }>(
        market,
        developer,
        'GET',
        path,
      );
      const all = body.stages.dynamic_testing.findings;
      return all.filter(({ category }) => category === 'unpassed-feature');
    };
    const named = ['acme/dreams', 'roots/list', 'resources/subscribe', 'calls of slow'];
    const first = await found();
    expect(first.map(({ points_lost }) => points_lost)).toEqual([0, 0, 0, 0]);
    expect(first.map(({ description }) => named.findIndex((name) => description.includes(name)))).toEqual([
      0, 1, 2, 3,
    ]);
    const buyer = await register(market, 'buyer', 100);
    const reply = await invoke(market, buyer, agentId, { input: { tool: 'add', arguments: {} } });
    expect(JSON.stringify(reply.body)).toContain('passes no sampling on');
    const own = `/v1/developer/agents/${agentId}`;
    const notices = async () =>
      JSON.stringify((await request(market, developer, 'GET', `${own}/notices`)).body);
    await eventually(async () => (await notices()).includes('asks_sampling'));
    expect((await request(market, developer, 'POST', `${own}/reverify`, {})).status).toBe(202);
    await eventually(async () => (await found()).length === 5, 30_000);
    expect(JSON.stringify(await found())).toContain(
      'In a call of a buyer, the MCP server asked its client for a sample of a model',
    );
    await server.stop();
  });

  it('is rejected with the name of what it needs of its client before it lists its tools', async () => {
    const behaviour = modernServer({
      'tools/list': (message) => refusal(message, -32021, 400, { requiredCapabilities: { sampling: {} } }),
    });
    const server = await startAgent({ behaviour });
    const { body } = await registerAgent(market, developer, mcpRegistration(server.url));
    const [version] = await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toBe(
      'Probe 1 failed with agent_error: The MCP server needs sampling of its client, which the marketplace does not pass on.',
    );
    await server.stop();
  });

  it.each([
    ['names no tool', mcpServer([]), 'no_tools'],
    ['is none', { kind: 'echo' } as const, 'agent_error'],
    ['fails', { kind: 'status', status: 500 } as const, 'agent_error'],
  ])('is rejected when it %s', async (_what, behaviour, code) => {
    const server = await startAgent({ behaviour });
    const { body } = await registerAgent(market, developer, mcpRegistration(server.url));
    const [version] = await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toBe(`Probe 1 failed with ${code}`);
    await server.stop();
  });
});

it('names the address to register when a server redirects to one with a slash', async () => {
  const moved = await startAgent({
    behaviour: ({ path }) => ({ kind: 'redirect', location: `${path}/`, status: 307 }),
  });
  const body = registration(`${moved.url}/mcp`, {});
  const access = { ...(body.access_config as object), protocol: 'mcp' };
  const { body: made } = await registerAgent(market, developer, { ...body, access_config: access });
  await untilVersions(market, developer, made.agent_id, { '1.0.0': 'rejected' });
  const notices = await request<{ items: { code: string; message: string }[] }>(
    market,
    developer,
    'GET',
    `/v1/developer/agents/${made.agent_id}/notices`,
  );
  expect(notices.body.items).toMatchObject([
    { code: 'endpoint_redirects_to_slash', message: expect.stringContaining('with the slash') as string },
  ]);
  await moved.stop();
});
