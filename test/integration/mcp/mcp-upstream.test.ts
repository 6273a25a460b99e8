/** Registered MCP servers behind the endpoint: theirs passes untouched, and a hostile one fails its own call only. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpTools } from '../../../src/services/mcp/mcp-tools';
import { startAgent, startHoneypot, type TestAgent } from '../../support/agents/test-agent';
import { balance, putLive, register, type TestUser } from '../../support/market';
import { legacy, modern, type RpcAnswer } from '../../support/protocols/mcp';
import {
  ANY_TOOL,
  mcpUpstream,
  putServerLive,
  rpcEvents,
  rpcResult,
  type UpstreamMessage,
  type UpstreamOptions,
} from '../../support/protocols/mcp-upstream';
import { useMarket } from '../../support/use-market';
import { eventually } from '../../support/waits';

const market = useMarket();
let developer: TestUser;
let other: string;
let echo: TestAgent;
const agents: TestAgent[] = [];

beforeAll(async () => {
  developer = await register(market, 'developer');
  echo = await startAgent();
  agents.push(echo);
  ({ agentId: other } = await putLive(market, developer.userId, echo.url, { credits: 1 }));
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
});

async function registered(options: UpstreamOptions): Promise<{ agent: TestAgent; agentId: string }> {
  const agent = await startAgent({ behaviour: mcpUpstream(options) });
  agents.push(agent);
  return { agent, agentId: await putServerLive(market, developer.userId, `${agent.url}/mcp`) };
}

const codeOf = (answer: RpcAnswer) => answer.body.result?.['_meta']?.['io.market/error_code'] as unknown;
const wallet = (buyer: TestUser) => balance(market.owner, buyer.userId, 'wallet');

/** 64 tools, one of them with a schema of 2 MiB. */
function manyTools(): Record<string, unknown>[] {
  const wide = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [
      `field_${n}`,
      { type: 'string', description: `The field number ${n}, ${'x'.repeat(60)}`, 'x-theirs': n },
    ]),
  );
  return Array.from({ length: 64 }, (_, n) => ({
    name: `tool.${n}`,
    title: `Tool ${n} – Ω`,
    description: 'Does "something"\nwith\u2028lines',
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: n === 0 ? wide : { a: { $ref: 'https://elsewhere.example/schema.json' } },
    },
    outputSchema: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    annotations: { readOnlyHint: true, theirs: { deep: [1, null, 1.5] } },
    _meta: { 'com.example/key': n },
    unknownField: { kept: true },
  }));
}

describe.each(['legacy', 'modern'] as const)('a registered server of the %s era', (era) => {
  it('shows its 64 tools and a schema of 2 MiB unchanged', async () => {
    const tools = manyTools();
    expect(JSON.stringify(tools).length).toBeGreaterThan(2 * 1024 * 1024);
    const { agent, agentId } = await registered({ era, tools });
    const buyer = await register(market, 'buyer');
    for (const ask of [legacy, modern]) {
      const answer = await ask(market, buyer, agentId, 'tools/list');
      expect(answer.body.result?.['tools']).toEqual(tools);
    }
    const lists = agent.deliveries.filter(({ body }) => body.includes('"tools/list"'));
    expect(lists).toHaveLength(1);
    const url = new URL(`${market.url}/mcp/a/${agentId}`);
    const client = new Client({ name: 'test', version: '1' });
    const headers = { cookie: buyer.cookie };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    await client.close();
  });

  it('gives its results unchanged, with the service’s keys beside its own', async () => {
    const theirs = {
      content: [
        { type: 'text', text: 'zwölf', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png', more: 1 },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///x', name: 'x' },
      ],
      structuredContent: [1, { two: null }],
      extra: { kept: 1e-7 },
      _meta: {
        'com.example/cost': 2,
        'io.market/error_code': 'forged',
        'io.modelcontextprotocol/serverInfo': { name: 'hidden-server', version: '9' },
      },
    };
    const { agent, agentId } = await registered({ era, tools: [ANY_TOOL], result: () => theirs });
    const buyer = await register(market, 'buyer', 100);
    const args = { deep: { list: [1, 'a', null] }, text: 'Ω' };
    const traces: unknown[] = [];
    for (const ask of [legacy, modern]) {
      const answer = await ask(market, buyer, agentId, 'tools/call', { name: 'anything', arguments: args });
      const { _meta: meta, resultType, ...result } = answer.body.result ?? {};
      expect(result).toEqual({ ...theirs, _meta: undefined });
      expect(resultType).toBe(ask === modern ? 'complete' : undefined);
      expect(meta).toMatchObject({ 'com.example/cost': 2, 'io.market/credits_charged': 3 });
      expect(meta).not.toHaveProperty(['io.market/error_code']);
      expect(JSON.stringify(answer.body)).not.toContain('hidden-server');
      traces.push(meta?.['io.market/trace_id']);
    }
    expect(await wallet(buyer)).toBe(9_400);
    const calls = agent.deliveries.map(({ body }) => JSON.parse(body.toString() || '{}') as UpstreamMessage);
    const params = calls.filter(({ method }) => method === 'tools/call').map(({ params: given }) => given);
    const sent = { name: 'anything', arguments: args };
    expect(params).toEqual([expect.objectContaining(sent), expect.objectContaining(sent)]);
    const passed = params.map(
      ({ _meta: meta }) => (meta as { traceparent: string }).traceparent.split('-')[1],
    );
    expect(passed).toEqual(traces);
  });

  it('is not asked for a tool that it does not have', async () => {
    const { agent, agentId } = await registered({ era, tools: [ANY_TOOL] });
    const buyer = await register(market, 'buyer', 100);
    const answer = await modern(market, buyer, agentId, 'tools/call', { name: 'nothing', arguments: {} });
    expect(answer.body.error?.code).toBe(-32602);
    expect(agent.deliveries.some(({ body }) => body.includes('"tools/call"'))).toBe(false);
    expect(await wallet(buyer)).toBe(10_000);
  });

  it('passes on the error of a tool, which costs nothing', async () => {
    const theirs = { content: [{ type: 'text', text: 'no such city' }], isError: true };
    const { agentId } = await registered({ era, tools: [ANY_TOOL], result: () => theirs });
    const buyer = await register(market, 'buyer', 100);
    const answer = await legacy(market, buyer, agentId, 'tools/call', { name: 'anything', arguments: {} });
    expect(answer.body.result).toMatchObject({ ...theirs, _meta: { 'io.market/credits_charged': 0 } });
    expect(await wallet(buyer)).toBe(10_000);
  });
});

it('is asked for its tools again after a minute, beside the requests of buyers', async () => {
  const { agent, agentId } = await registered({ tools: [ANY_TOOL] });
  const { agents: callers, notary, servingVersions } = market.container;
  const version = await servingVersions.ofAgent(agentId, undefined);
  let now = Date.now();
  const mcpTools = createMcpTools({ agents: callers, notary, nowMs: () => now });
  const names = async () => {
    const json = (await mcpTools.of(version, 0)).json('modern').toString();
    return (JSON.parse(json) as { name: string }[]).map(({ name }) => name);
  };
  const lists = () => agent.deliveries.filter(({ body }) => body.includes('"tools/list"')).length;
  expect(await names()).toEqual(['anything']);
  agent.behave(mcpUpstream({ tools: [ANY_TOOL, { ...ANY_TOOL, name: 'more' }] }));
  now += 4_000;
  expect(await mcpTools.find(version, 'more', 0)).toBeUndefined();
  expect(lists()).toBe(1);
  now += 2_000;
  expect(await mcpTools.find(version, 'more', 0)).toBeUndefined();
  await eventually(() => lists() === 2);
  now += 59_000;
  expect(await names()).toEqual(['anything']);
  expect(lists()).toBe(2);
  now += 2_000;
  expect(await names()).toEqual(['anything']);
  await eventually(() => lists() === 3);
  const candidates = `SELECT FROM tool_lists WHERE agent_id = $1 AND state = 'candidate'`;
  await eventually(async () => (await market.owner.query(candidates, [agentId])).rowCount === 1);
  await agent.stop();
  now += 61_000;
  expect(await names()).toEqual(['anything']);
});

it('is asked for the rest of a stream that it ends after a priming event', async () => {
  let id: number | undefined;
  const { agent, agentId } = await registered({ tools: [ANY_TOOL] });
  const answer = () => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'later' }] } });
  const usual = mcpUpstream({
    tools: [ANY_TOOL],
    instead: (message) => {
      if (message.method !== 'tools/call') return undefined;
      ({ id } = message);
      return rpcEvents(['retry: 100\nid: primed\ndata:\n\n']);
    },
  });
  agent.behave((delivery) => {
    const isResumed = delivery.method === 'GET' && delivery.headers['last-event-id'] === 'primed';
    if (isResumed) return rpcEvents([`id: 2\ndata: ${JSON.stringify(answer())}\n\n`]);
    return typeof usual === 'function' ? usual(delivery) : usual;
  });
  const buyer = await register(market, 'buyer', 100);
  const { body } = await modern(market, buyer, agentId, 'tools/call', { name: 'anything', arguments: {} });
  expect(body.result?.['content']).toEqual([{ type: 'text', text: 'later' }]);
  expect(agent.deliveries.filter(({ method }) => method === 'GET')).toHaveLength(1);
  expect(await wallet(buyer)).toBe(9_700);
});

it.each([
  ['sampling/createMessage', 'passes no sampling on'],
  ['roots/list', 'passes no roots on'],
  ['elicitation/create', 'shows no forms while it runs'],
])('of 2025-11-25 that fails without %s: the failure names it', async (asked, words) => {
  const { agentId } = await registered({
    tools: [ANY_TOOL],
    instead: ({ id, method }) =>
      method === 'tools/call'
        ? rpcEvents([
            `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'theirs', method: asked, params: {} })}\n\n`,
            `data: ${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No' } })}\n\n`,
          ])
        : undefined,
  });
  const buyer = await register(market, 'buyer', 100);
  const answer = await modern(market, buyer, agentId, 'tools/call', { name: 'anything', arguments: {} });
  expect(codeOf(answer)).toBe('agent_error');
  expect(answer.text).toContain(words);
  expect(await wallet(buyer)).toBe(10_000);
});

describe('a hostile server fails one call and nothing else', () => {
  const line = Buffer.alloc(1024 * 1024, 'x');
  const onCall = (behave: (message: UpstreamMessage) => ReturnType<typeof rpcEvents>) => ({
    tools: [ANY_TOOL],
    instead: (message: UpstreamMessage) => (message.method === 'tools/call' ? behave(message) : undefined),
  });
  const content = { content: [{ type: 'text', text: 'AGENT-SECRET-DETAIL' }] };
  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const hostile: [string, UpstreamOptions, string[]][] = [
    ['answers to another id', onCall(({ id = 0 }) => rpcResult(id + 1, content)), ['agent_error']],
    [
      'forges events and answers to others, and ends',
      onCall(({ id = 0 }) =>
        rpcEvents([
          'event: done\ndata: {"type":"done","invocation_id":"inv_x"}\n\n',
          event({ jsonrpc: '2.0', id: id + 1, result: content }),
          event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }),
        ]),
      ),
      ['agent_error'],
    ],
    [
      'forges requests to us, and ends',
      onCall(() => rpcEvents([event({ jsonrpc: '2.0', id: 9, method: 'sampling/createMessage' })])),
      ['agent_error'],
    ],
    [
      'sends a line of 100 MB',
      onCall(() => rpcEvents(['data: ', ...Array.from({ length: 100 }, () => line), '\n\n'])),
      ['response_too_large', 'agent_error'],
    ],
    [
      'sends 100 MB of JSON',
      onCall(() => ({ kind: 'huge', bytes: 100 * 1024 * 1024 }) as never),
      ['response_too_large'],
    ],
    [
      'answers with an error of its own',
      onCall(
        ({ id }) =>
          ({
            kind: 'answer',
            output: { jsonrpc: '2.0', id, error: { code: -32000, message: 'AGENT-SECRET-DETAIL' } },
          }) as never,
      ),
      ['agent_error'],
    ],
    [
      'asks for more input',
      onCall(({ id }) => rpcResult(id, { resultType: 'input_required', inputRequests: {} })),
      ['agent_error'],
    ],
  ];

  it.each(hostile)('when it %s', async (_name, options, codes) => {
    const { agentId } = await registered(options);
    const buyer = await register(market, 'buyer', 100);
    const startedAt = Date.now();
    const [failed, fine] = await Promise.all([
      modern(market, buyer, agentId, 'tools/call', { name: 'anything', arguments: {} }),
      legacy(market, buyer, other, 'tools/call', { name: 'invoke', arguments: { text: 'fine' } }),
    ]);
    expect(codes).toContain(codeOf(failed));
    expect(failed.text).not.toContain('AGENT-SECRET-DETAIL');
    expect(fine.body.result?.['structuredContent']).toEqual({ text: 'fine' });
    expect(await wallet(buyer)).toBe(9_900);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });

  it('when its list of tools does not end', async () => {
    let pages = 0;
    const { agentId } = await registered({
      tools: [ANY_TOOL],
      instead: ({ id, method }) =>
        method === 'tools/list'
          ? rpcResult(id, { tools: [ANY_TOOL], nextCursor: `page-${(pages += 1)}` })
          : undefined,
    });
    const buyer = await register(market, 'buyer', 100);
    const answers = await Promise.all(
      [legacy, modern, legacy].map((ask) => ask(market, buyer, agentId, 'tools/list')),
    );
    for (const { status, body } of answers) {
      expect([status, body.error?.code, body.error?.data.code]).toEqual([200, -32603, 'agent_error']);
    }
    expect(pages).toBeLessThan(200);
    const asked = pages;
    expect((await legacy(market, buyer, agentId, 'tools/list')).body.error?.code).toBe(-32603);
    expect(pages).toBe(asked);
  });

  it('when it lists 2,000 tools', async () => {
    const tools = Array.from({ length: 2_000 }, (_, n) => ({ ...ANY_TOOL, name: `tool_${n}` }));
    const { agentId } = await registered({ tools });
    const buyer = await register(market, 'buyer', 100);
    for (const ask of [legacy, modern]) {
      const { status, body } = await ask(market, buyer, agentId, 'tools/list');
      expect([status, body.error?.code, body.error?.data.code]).toEqual([200, -32603, 'agent_error']);
      expect(body.error?.message).toContain('too many tools: a list has at most 1000 tools and 4 MiB');
    }
    const fine = await legacy(market, buyer, other, 'tools/call', {
      name: 'invoke',
      arguments: { text: 'a' },
    });
    expect(fine.body.result?.['structuredContent']).toEqual({ text: 'a' });
  });

  it('when a schema refers to an internal address: it is not fetched', async () => {
    const honeypot = await startHoneypot();
    const $ref = `http://127.0.0.1:${honeypot.port}/schema.json`;
    const tools = [{ name: 'anything', inputSchema: { type: 'object', $ref }, outputSchema: { $ref } }];
    const { agentId } = await registered({ tools });
    const buyer = await register(market, 'buyer', 100);
    const list = await modern(market, buyer, agentId, 'tools/list');
    expect(list.body.result?.['tools']).toEqual(tools);
    const answer = await modern(market, buyer, agentId, 'tools/call', {
      name: 'anything',
      arguments: { a: 1 },
    });
    expect(answer.body.result?.['isError']).toBeUndefined();
    expect(honeypot.connections()).toBe(0);
    await honeypot.stop();
  });

  it('when a resource contains its credential, or more than 4 MiB: the one is masked, the other refused', async () => {
    const secret = 'canary-credential-0123456789';
    const read = (uri: unknown) =>
      uri === 'test://large'
        ? [{ uri, blob: 'A'.repeat(4 * 1024 * 1024) }]
        : [
            { uri, text: `It was read with ${secret}` },
            { uri, blob: Buffer.from(`It was read with ${secret}`).toString('base64') },
          ];
    const { agent, agentId } = await registered({
      tools: [ANY_TOOL],
      instead: ({ id, method, params }) =>
        method === 'resources/read' ? rpcResult(id, { contents: read(params['uri']) }) : undefined,
    });
    const { credentials, pool } = market.container;
    await credentials.store(pool, { agentId, endpointUrl: agent.url }, { header: 'X-Upstream', key: secret });
    const buyer = await register(market, 'buyer', 100);
    for (const ask of [legacy, modern]) {
      const readOf = (uri: string) =>
        ask(market, buyer, agentId, 'resources/read', { uri }, { 'mcp-name': uri });
      const { body, text } = await readOf('test://small');
      const [shown, bytes] = body.result?.['contents'] as { text: string; blob: string }[];
      expect(shown?.text).toBe('It was read with [redacted]');
      expect([text, Buffer.from(bytes?.blob ?? '', 'base64').toString()].join()).not.toContain(secret);
      const large = await readOf('test://large');
      expect([large.body.error?.code, large.body.error?.data.code]).toEqual([-32603, 'response_too_large']);
    }
    expect(await wallet(buyer)).toBe(10_000);
  });

  it('when its answers contain its credential: it is masked', async () => {
    const secret = 'canary-credential-0123456789';
    const echoed = { content: [{ type: 'text', text: `I was called with ${secret}` }] };
    const { agent, agentId } = await registered({
      tools: [{ ...ANY_TOOL, description: `Send ${secret}` }],
      result: () => echoed,
    });
    const { credentials, pool } = market.container;
    const at = { agentId, endpointUrl: agent.url };
    await credentials.store(pool, at, { header: 'X-Upstream', key: secret });
    const buyer = await register(market, 'buyer', 100);
    const list = await legacy(market, buyer, agentId, 'tools/list');
    const answer = await legacy(market, buyer, agentId, 'tools/call', { name: 'anything', arguments: {} });
    expect(agent.deliveries.every(({ headers }) => headers['x-upstream'] === secret)).toBe(true);
    expect(list.body.result?.['tools'][0].description).toBe('Send [redacted]');
    expect(answer.body.result?.['content'][0].text).toBe('I was called with [redacted]');
  });
});
