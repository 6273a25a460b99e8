/**
 * What an MCP server of a developer does passes whole (ADR 0327, ADR 0328): a server of the official library is the
 * agent, and the official client is the buyer.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pinnedName } from '../../../src/services/mcp/pinned-names';
import { makeKey } from '../../support/accounts/keys';
import { startEverything } from '../../support/agents/mcp-everything';
import type { TestMcpServer } from '../../support/agents/mcp-server';
import {
  balance,
  eventually,
  invoke,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { type Json, modern, post } from '../../support/protocols/mcp';
import { putServerLive } from '../../support/protocols/mcp-upstream';
import { useMarket } from '../../support/use-market';

const MODERN = '2026-07-28';
const market = useMarket();
const servers: Record<string, TestMcpServer> = {};
const agents: Record<string, string> = {};
const clients: Client[] = [];
let buyer: TestUser;

beforeAll(async () => {
  const developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  for (const era of ['legacy', 'modern'] as const) {
    servers[era] = await startEverything(era);
    agents[era] = await putServerLive(market, developer.userId, servers[era].url);
  }
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(() => Promise.all(Object.values(servers).map((server) => server.stop())));

interface Heard {
  progress: unknown[];
  logs: unknown[];
}

async function connect(
  agentEra: 'legacy' | 'modern',
  clientEra: 'legacy' | 'modern',
  answer?: (params: Json) => Json,
  who: Pick<TestUser, 'cookie'> | { key: string } = buyer,
): Promise<{ client: Client; heard: Heard }> {
  const mode = clientEra === 'modern' ? { pin: MODERN } : ('legacy' as const);
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: answer ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
  );
  const heard: Heard = { progress: [], logs: [] };
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.logs.push(params.data));
  if (answer) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params) as never);
  const isMarket = 'key' in who;
  const url = new URL(isMarket ? `${market.url}/mcp` : `${market.url}/mcp/a/${agents[agentEra]}`);
  const headers: Record<string, string> = isMarket ? { 'x-api-key': who.key } : { cookie: who.cookie };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  clients.push(client);
  return { client, heard };
}

const eras = [
  ['legacy', 'legacy'],
  ['legacy', 'modern'],
  ['modern', 'legacy'],
  ['modern', 'modern'],
] as const;

describe.each(eras)('a server of the %s era, and a client of the %s era', (serverEra, clientEra) => {
  it('hears of progress while the tool runs', async () => {
    const { client, heard } = await connect(serverEra, clientEra);
    const call = { name: 'test_tool_with_progress', arguments: {} };
    await client.callTool(call, { onprogress: (one) => void heard.progress.push(one) });
    expect(heard.progress).toEqual(
      [0, 50, 100].map((progress) => ({ progress, total: 100, message: `step ${progress}` })),
    );
  });

  it('hears the log messages that it asks for, and no others', async () => {
    const { client, heard } = await connect(serverEra, clientEra);
    const call = (level?: string) => ({
      name: 'test_tool_with_logging',
      arguments: {},
      ...(level && clientEra === 'modern' && { _meta: { 'io.modelcontextprotocol/logLevel': level } }),
    });
    await client.callTool(call());
    expect(heard.logs).toEqual([]);
    if (clientEra === 'legacy') await client.setLoggingLevel('info');
    await client.callTool(call('info'));
    expect(heard.logs).toEqual(['started', 'working', 'completed']);
    if (clientEra === 'legacy') await client.setLoggingLevel('error');
    await client.callTool(call('error'));
    expect(heard.logs).toHaveLength(3);
  });

  it('reads resources, prompts and completions, which cost nothing', async () => {
    const { client } = await connect(serverEra, clientEra);
    const before = await balance(market.owner, buyer.userId, 'wallet');
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'test://static-text',
      'test://static-binary',
      'ui://dashboard',
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate).toBe(
      'test://template/{id}/data',
    );
    const [binary] = (await client.readResource({ uri: 'test://static-binary' })).contents;
    expect(binary).toMatchObject({ mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('test_simple_prompt');
    const args = { arg1: 'a', arg2: 'b' };
    const prompt = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: args });
    expect(JSON.stringify(prompt)).toContain("arg1='a', arg2='b'");
    const ref = { type: 'ref/prompt' as const, name: 'test_prompt_with_arguments' };
    const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'par' } });
    expect(completion.values).toEqual(['paris', 'park', 'party']);
    await expect(client.readResource({ uri: 'test://unknown' })).rejects.toMatchObject({ code: -32602 });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before);
  });

  it('gets the page of an app with a policy that is kept or narrowed', async () => {
    const { client } = await connect(serverEra, clientEra);
    const { tools } = await client.listTools();
    const page = tools.find(({ name }) => name === 'test_simple_text')?._meta?.['ui'];
    expect(page).toEqual({ resourceUri: 'ui://dashboard' });
    const [shown] = (await client.readResource({ uri: 'ui://dashboard' })).contents;
    expect(shown).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: expect.anything() as unknown } },
    });
    expect((shown?._meta?.['ui'] as Json).csp).toEqual({
      connectDomains: ['https://api.example.com'],
      resourceDomains: ['https://*.example.com'],
      frameDomains: [],
    });
  });
});

describe('a tool of 2026-07-28 that asks', () => {
  it('gets the answers of the user, and is paid once', async () => {
    const asked: Json[] = [];
    const before = await balance(market.owner, buyer.userId, 'wallet');
    const { client } = await connect('modern', 'modern', (params) => {
      asked.push(params.message);
      return { action: 'accept', content: { name: 'Ada', color: 'blue' } };
    });
    const result = await client.callTool({ name: 'test_input_required_result_multi_round', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: 'Both steps are answered.' }]);
    expect(asked).toEqual(['Step 1: What is your name?', 'Step 2: What is your favorite color?']);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before - 300);
  });

  const offer = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const call = (who: TestUser, name: string, more: object = {}) =>
    modern(market, who, agents['modern'] ?? '', 'tools/call', { name, arguments: {}, _meta: offer, ...more });

  it('has its state sealed for the caller', async () => {
    const name = 'test_input_required_result_request_state';
    const { result } = (await call(buyer, name)).body;
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create' } },
      _meta: { 'io.market/credits_charged': 0 },
    });
    const answers = { inputResponses: { confirm: { action: 'accept', content: { ok: true } } } };
    const state = result?.['requestState'] as string;
    const other = await register(market, 'buyer', 100);
    const strange = await call(other, name, { ...answers, requestState: state });
    expect(strange.body.error).toMatchObject({ code: -32602 });
    const changed = `${state.slice(0, 20)}${state[20] === 'A' ? 'B' : 'A'}${state.slice(21)}`;
    const forged = await call(buyer, name, { ...answers, requestState: changed });
    expect(forged.body.error).toMatchObject({ code: -32602 });
    for (const more of ['A', 'AA', 'AAA', 'AAAA', '-TAMPERED'])
      expect(
        (await call(buyer, name, { ...answers, requestState: `${state}${more}` })).body.error,
      ).toMatchObject({
        code: -32602,
      });
    const answered = await call(buyer, name, { ...answers, requestState: state });
    expect(answered.body.result).toMatchObject({ resultType: 'complete' });
  });

  it('is not repeated by a call with the same key and other answers', async () => {
    const name = 'test_input_required_result_elicitation';
    const headers = { 'idempotency-key': `key-${Date.now()}` };
    const send = (more: object) =>
      modern(
        market,
        buyer,
        agents['modern'] ?? '',
        'tools/call',
        { name, arguments: {}, _meta: offer, ...more },
        headers,
      );
    const first = (await send({})).body.result;
    expect((await send({})).body.result).toMatchObject({
      resultType: 'input_required',
      _meta: { 'io.market/idempotent_replayed': true },
    });
    const inputResponses = { user_name: { action: 'accept', content: { name: 'Ada' } } };
    const second = await send({ inputResponses, requestState: first?.['requestState'] });
    expect(second.body.result).toMatchObject({ resultType: 'complete' });
  });

  it.each([
    ['test_input_required_result_sampling', 'sampling'],
    ['test_missing_capability', 'needs sampling'],
    ['test_input_required_result_list_roots', 'roots'],
    ['test_asks_password', 'secret'],
    ['test_asks_page', 'page'],
    ['test_asks_nested', 'MCP does not allow'],
  ])('that cannot pass is refused by name: %s', async (name, word) => {
    const { result } = (await call(buyer, name)).body;
    expect(result).toMatchObject({ isError: true, _meta: { 'io.market/credits_charged': 0 } });
    expect(JSON.stringify(result)).toContain(word);
  });

  it('fails with the reason for a caller that cannot be asked', async () => {
    const input = { tool: 'test_input_required_result_elicitation', arguments: {} };
    const answer = await invoke(market, buyer, agents['modern'] ?? '', { input });
    expect(JSON.stringify(answer.body)).toContain('declares elicitation');
  });
});

describe.each(['legacy', 'modern'] as const)('a legacy client, and a server of the %s era', (serverEra) => {
  it('shows a form on the stream of its call, whose answer goes back', async () => {
    const asked: Json[] = [];
    const before = await balance(market.owner, buyer.userId, 'wallet');
    const { client } = await connect(serverEra, 'legacy', (params) => {
      asked.push(params.message);
      return { action: 'accept', content: { response: 'Ada', name: 'Ada' } };
    });
    const name = serverEra === 'legacy' ? 'test_elicitation' : 'test_input_required_result_elicitation';
    const result = await client.callTool({ name, arguments: { message: 'Who are you?' } });
    expect(JSON.stringify(result.content)).toContain('Ada');
    expect(asked).toEqual([serverEra === 'legacy' ? 'Who are you?' : 'What is your name?']);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before - 300);
  });
});

describe.each(eras)(
  'the market, a server of the %s era, and a client of the %s era',
  (serverEra, clientEra) => {
    /** The arguments of a tool of the agent: by `call_agent`, and by the tool of the pinned agent. */
    const ways = (tool: string, input: Json = {}) => [
      { name: 'call_agent', arguments: { agent_id: agents[serverEra], tool, input, max_cost_credits: 3 } },
      { name: pinnedName(agents[serverEra] ?? '', tool), arguments: input },
    ];
    const pins = async (change: object = {}) => {
      const { key, key_id } = await makeKey(market, buyer);
      const limits = { pinned: Object.values(agents), only: null, ...change };
      await market.owner.query('UPDATE api_keys SET pinned_agents = $2, only_agents = $3 WHERE key_id = $1', [
        key_id,
        limits.pinned,
        limits.only,
      ]);
      return { key };
    };

    it('pass progress and log messages on while a tool runs', async () => {
      const { client, heard } = await connect(serverEra, clientEra, undefined, await pins());
      for (const call of ways('test_tool_with_progress'))
        await client.callTool(call, { onprogress: ({ message }) => void heard.progress.push(message) });
      const steps = ['step 0', 'step 50', 'step 100'];
      expect(heard.progress).toEqual([...steps, ...steps]);
      if (clientEra === 'legacy') await client.setLoggingLevel('info');
      const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
      for (const call of ways('test_tool_with_logging'))
        await client.callTool({ ...call, ...(clientEra === 'modern' && { _meta }) });
      const logs = ['started', 'working', 'completed'];
      expect(heard.logs).toEqual([...logs, ...logs]);
    });

    it('show the page of a tool, and its result as the server made it', async () => {
      const { client } = await connect(serverEra, clientEra, undefined, await pins());
      const [, { name } = { name: '' }] = ways('test_simple_text');
      const tool = (await client.listTools()).tools.find((each) => each.name === name);
      const uri = `ui://${agents[serverEra]}/dashboard`;
      expect(tool).toMatchObject({ _meta: { ui: { resourceUri: uri } } });
      const [page] = (await client.readResource({ uri })).contents;
      expect(page).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
      expect((page?._meta?.['ui'] as Json).csp.connectDomains).toEqual(['https://api.example.com']);
      const result = await client.callTool({ name, arguments: {} });
      expect(result.structuredContent).toBeUndefined();
      const said = (result.content as Json[]).map(({ text }) => text as string);
      expect(said[0]).toBe('This is a simple text response for testing.');
      expect(JSON.parse(said[1] ?? '')).toMatchObject({ status: 'succeeded', credits_charged: 3 });
      expect([(await client.listResources()).resources, client.getServerCapabilities()?.resources]).toEqual([
        [],
        {},
      ]);
    });

    it('refuse pages that are not of an agent of the connection, in words', async () => {
      const only = agents[serverEra === 'legacy' ? 'modern' : 'legacy'];
      const { client } = await connect(
        serverEra,
        clientEra,
        undefined,
        await pins({ pinned: null, only: [only] }),
      );
      for (const [uri, words] of [
        ['ui://dashboard', /No such resource/],
        ['test://static-text', /No such resource/],
        [`ui://${agents[serverEra]}/dashboard`, /not among the agents/],
        [`ui://${only}/nothing`, /not found/i],
      ] as const)
        await expect(client.readResource({ uri })).rejects.toMatchObject({
          code: -32602,
          message: expect.stringMatching(words) as string,
        });
      await market.owner.query(`UPDATE agents SET status = 'suspended' WHERE agent_id = $1`, [only]);
      const suspended = client.readResource({ uri: `ui://${only}/dashboard` });
      await expect(suspended).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/suspended/) as string,
      });
      await market.owner.query(`UPDATE agents SET status = 'active' WHERE agent_id = $1`, [only]);
    });

    it('show a form of the tool, whose answer goes back, and each call is paid once', async () => {
      const before = await balance(market.owner, buyer.userId, 'wallet');
      const asked: Json[] = [];
      const answer = (params: Json) => {
        asked.push(params.message);
        return { action: 'accept', content: { response: 'Ada', name: 'Ada' } };
      };
      const { client } = await connect(serverEra, clientEra, answer, await pins());
      const isLegacy = serverEra === 'legacy';
      const tool = isLegacy ? 'test_elicitation' : 'test_input_required_result_elicitation';
      for (const call of ways(tool, { message: 'Who are you?' }))
        expect(JSON.stringify((await client.callTool(call)).content)).toContain('Ada');
      expect(asked).toEqual(Array(2).fill(isLegacy ? 'Who are you?' : 'What is your name?'));
      expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before - 600);
    });
  },
);

describe('a legacy server, and a client of 2026-07-28', () => {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const send = async (at: TestMarket, who: TestUser, name: string, more: object = {}) => {
    const args = { message: 'Who are you?' };
    const params = { name, arguments: args, _meta: meta, ...more };
    const { result } = (await modern(at, who, agents['legacy'] ?? '', 'tools/call', params)).body;
    const [formId = ''] = Object.keys((result?.['inputRequests'] ?? {}) as object);
    const answer = { [formId]: { action: 'accept', content: { response: 'Ada' } } };
    return { result, formId, next: { requestState: result?.['requestState'], inputResponses: answer } };
  };

  it('is asked by the answer to its call, which goes on, and is paid once', async () => {
    const asked: Json[] = [];
    const before = await balance(market.owner, buyer.userId, 'wallet');
    const { client } = await connect('legacy', 'modern', (params) => {
      asked.push(params.message);
      return { action: 'accept', content: { response: 'Ada' } };
    });
    const call = { name: 'test_elicitation_twice', arguments: { message: 'Who are you?' } };
    const result = await client.callTool(call);
    expect(JSON.stringify(result.content)).toMatch(/Ada.*Ada/);
    expect(asked).toEqual(['Who are you?', 'And then?']);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before - 300);
  });

  it('answers in any process, and for no other account', async () => {
    const other = await startMarket({ share: market });
    try {
      const first = await send(market, buyer, 'test_elicitation_twice');
      expect(first.result).toMatchObject({
        resultType: 'input_required',
        inputRequests: { [first.formId]: { params: { message: 'Who are you?' } } },
      });
      const stranger = await register(market, 'buyer');
      const refused = await modern(other, stranger, agents['legacy'] ?? '', 'tools/call', {
        name: 'test_elicitation_twice',
        arguments: {},
        _meta: meta,
        ...first.next,
      });
      expect(refused.body.error).toMatchObject({ code: -32602 });
      const second = await send(other, buyer, 'test_elicitation_twice', first.next);
      expect(second.result).toMatchObject({
        requestState: first.next.requestState,
        inputRequests: { [second.formId]: { params: { message: 'And then?' } } },
      });
      const third = await send(other, buyer, 'test_elicitation_twice', second.next);
      expect(third.result).toMatchObject({
        resultType: 'complete',
        _meta: { 'io.market/credits_charged': 3 },
      });
      expect(JSON.stringify(third.result)).toContain('Ada');
    } finally {
      await other.stop();
    }
  });
});

it('passes an answer on that comes to another process, and none of another account', async () => {
  const other = await startMarket({ share: market });
  try {
    const stranger = await register(market, 'buyer');
    const { liveForms } = market.container;
    const over = new AbortController();
    let formId = '';
    const answer = liveForms.ask(buyer.userId, (id) => (formId = id), over.signal);
    const response = (action: string) => ({
      jsonrpc: '2.0',
      id: formId,
      result: { action, content: { a: 1 } },
    });
    const agentId = agents['legacy'] ?? '';
    await eventually(async () => formId !== '');
    expect((await post(other, stranger, agentId, response('decline'))).status).toBe(202);
    expect((await post(other, buyer, agentId, response('accept'))).status).toBe(202);
    expect(await answer).toEqual({ action: 'accept', content: { a: 1 } });
  } finally {
    await other.stop();
  }
});
