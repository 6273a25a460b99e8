/** POST /mcp: the market as one server (ADR 0332), by the official client in both eras. */
import { balance, putLive, register, type TestUser } from '../../support/market';
import { makeKey } from '../../support/accounts/keys';
import { connectMarket, MODES, use } from '../../support/protocols/market-mcp';
import { putListing } from '../../support/catalogue/listings';
import { newSlug } from '../../support/names';
import { startAgent } from '../../support/agents/test-agent';
import { ANY_TOOL, mcpUpstream, putServerLive } from '../../support/protocols/mcp-upstream';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
const agent = useAgent();
let developer: TestUser;
let agentId: string;

beforeAll(async () => {
  developer = await register(market, 'developer');
  ({ agentId } = await putLive(market, developer.userId, agent.url, {
    credits: 7,
    displayName: 'Echo agent for marathons',
  }));
});

const NO_LIMITS = { max_credits_per_call: null, min_trust_score: null, agents: null };
const byKey = async (buyer: TestUser, scopes?: Parameters<typeof makeKey>[2]) => ({
  'x-api-key': (await makeKey(market, buyer, scopes ?? { scopes: ['agents:invoke'] })).key,
});

describe.each(MODES)('a client of %s', (_name, mode) => {
  it('lists eight tools with schemas of both sides and annotations', async () => {
    const client = await connectMarket(market, mode, await byKey(await register(market, 'buyer')));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_agents',
      'describe_agent',
      'call_agent',
      'get_call',
      'answer_question',
      'cancel_call',
      'open_dispute',
      'get_balance',
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String) as string,
        description: expect.any(String) as string,
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
      });
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
      expect(Object.keys(tool.annotations ?? {})).toEqual(hints);
    }
    expect(JSON.stringify(tools)).not.toContain('"format":"text"');
    await client.close();
  });

  it('finds, describes, buys, reads and disputes without an id beforehand', async () => {
    const buyer = await register(market, 'buyer', 100);
    const scopes = { scopes: ['agents:invoke', 'billing:read', 'disputes:write'] as const };
    const client = await connectMarket(market, mode, await byKey(buyer, { scopes: [...scopes.scopes] }));
    const search = { intent: 'please echo a text about marathons for me', limit: 20 };
    const { agents } = (await use(client, 'search_agents', search)) as { agents: { agent_id: string }[] };
    const found = agents.find(({ agent_id }) => agent_id === agentId);
    expect(found).toMatchObject({ name: 'Echo agent for marathons', price: { text: '7 credits per call' } });
    const described = await use(client, 'describe_agent', { agent_id: found?.agent_id });
    expect(described).toMatchObject({ agent_id: agentId, price: { max_credits_per_call: 7 } });
    expect(described.trust.length).toBeLessThanOrEqual(10);
    expect(described).toMatchObject({
      input_schema: { type: 'object', required: ['text'] },
      output_schema: { type: 'object' },
      price_examples: expect.arrayContaining([expect.stringContaining('7 credits')]) as unknown,
      data_handling: { data_retention_days: 1, pii_processed: false },
    });
    const call = await use(client, 'call_agent', {
      agent_id: agentId,
      input: { text: 'hello' },
      max_cost_credits: 7,
      idempotency_key: 'one',
    });
    expect(call).toMatchObject({ status: 'succeeded', output: { text: 'hello' }, credits_charged: 7 });
    const read = await use(client, 'get_call', { invocation_id: call.invocation_id });
    expect(read).toMatchObject({ status: 'succeeded', output: { text: 'hello' } });
    expect(read.receipt).toMatchObject({ signature: expect.any(String) as string });
    const about = { invocation_id: call.invocation_id, reason: 'output_incorrect', description: 'Not this.' };
    expect(await use(client, 'open_dispute', about)).toMatchObject({ status: 'open' });
    expect(await use(client, 'open_dispute', about)).toMatchObject({ failed: 'already_disputed' });
    expect(await use(client, 'get_balance')).toEqual({
      spendable_credits: 93,
      wallet_credits: 93,
      escrow_credits: 0,
      limit: null,
      ...NO_LIMITS,
    });
    await client.close();
  });
});

describe('a call', () => {
  const [, mode] = MODES[1] ?? MODES[0]!;

  it('with the same idempotency key is paid once', async () => {
    const buyer = await register(market, 'buyer', 100);
    const client = await connectMarket(market, mode, await byKey(buyer));
    const args = { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9, idempotency_key: 'k' };
    const first = await use(client, 'call_agent', args);
    expect(await use(client, 'call_agent', args)).toEqual(first);
    expect(await use(client, 'call_agent', { ...args, input: { text: 'b' } })).toMatchObject({
      failed: 'idempotency_key_reused',
    });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_300);
    await client.close();
  });

  it.each<[string, Record<string, unknown>, object]>([
    ['no ceiling', { max_cost_credits: undefined }, { failed: 'validation_failed' }],
    ['a low ceiling', { max_cost_credits: 6 }, { failed: 'max_cost_exceeded' }],
    ['an unknown agent', { agent_id: 'agt_nobody_v1' }, { failed: 'not_found' }],
    ['an id that is none', { agent_id: 'nobody' }, { failed: 'validation_failed' }],
    ['an input that is no object', { input: 'text' }, { failed: 'validation_failed' }],
    ['a tool of an agent without', { tool: 'echo' }, { failed: 'input_schema_mismatch' }],
    ['a field that does not exist', { ceiling: 1 }, { failed: 'validation_failed' }],
  ])('with %s is refused in words, and is free', async (_what, change, expected) => {
    const buyer = await register(market, 'buyer', 100);
    const client = await connectMarket(market, mode, await byKey(buyer));
    const args = { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9, ...change };
    const answer = await use(client, 'call_agent', args);
    expect(answer).toMatchObject(expected);
    expect(answer.words).toMatch(/\w{3,}/);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    await client.close();
  });

  it('obeys the lower one of the ceilings of argument and header', async () => {
    const buyer = await register(market, 'buyer', 100);
    const headers = { ...(await byKey(buyer)), 'x-max-cost-credits': '5' };
    const client = await connectMarket(market, mode, headers);
    const args = { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9 };
    expect(await use(client, 'call_agent', args)).toMatchObject({ failed: 'max_cost_exceeded' });
    await client.close();
  });
});

describe('a key', () => {
  it('without other scopes sees its own limit, and cannot dispute', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = await byKey(buyer, { scopes: ['agents:invoke'], credit_cap: 10 });
    const client = await connectMarket(market, 'legacy', key);
    await use(client, 'call_agent', { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9 });
    expect(await use(client, 'get_balance')).toEqual({
      spendable_credits: 3,
      wallet_credits: null,
      escrow_credits: null,
      limit: { credits: 10, spent_credits: 7, window: 'lifetime' },
      ...NO_LIMITS,
    });
    const args = { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9 };
    expect(await use(client, 'call_agent', args)).toMatchObject({ failed: 'credit_cap_exceeded' });
    const id = `inv_${'0'.repeat(32)}`;
    const dispute = { invocation_id: id, reason: 'other', description: 'x' };
    expect(await use(client, 'open_dispute', dispute)).toMatchObject({ failed: 'insufficient_scope' });
    await client.close();
  });

  it('reads no calls of others', async () => {
    const [one, other] = [await register(market, 'buyer', 100), await register(market, 'buyer', 100)];
    const mine = await connectMarket(market, 'legacy', await byKey(one));
    const call = await use(mine, 'call_agent', {
      agent_id: agentId,
      input: { text: 'a' },
      max_cost_credits: 9,
    });
    const theirs = await connectMarket(market, 'legacy', await byKey(other));
    const { invocation_id } = call;
    for (const tool of ['get_call', 'cancel_call'])
      expect(await use(theirs, tool, { invocation_id })).toMatchObject({ failed: 'not_found' });
    await Promise.all([mine.close(), theirs.close()]);
  });
});

it('finds within bounds of price, trust, category and latency alone, and says so if nothing is', async () => {
  const buyer = await register(market, 'buyer');
  const client = await connectMarket(market, 'legacy', await byKey(buyer));
  const found: string[] = [];
  for (const [slug, credits, trust_score, category, p50] of [
    ['zeppelin-a', 3, 60, 'finance', 900],
    ['zeppelin-b', 9, 90, 'other', 100],
  ] as const) {
    const fields = { display_name: 'Zeppelin timetable', trust_score, category };
    const id = await putListing(market, developer, newSlug(slug), credits, fields);
    const stats = `INSERT INTO agent_stats (agent_id, p50_ms, due_at) VALUES ($1, $2, 'infinity')`;
    await market.owner.query(stats, [id, p50]);
    found.push(id);
  }
  const [cheap, good] = found;
  const search = async (bounds: object) => {
    const { agents, note } = await use(client, 'search_agents', { intent: 'zeppelin timetable', ...bounds });
    const ids = (agents as { agent_id: string }[]).map(({ agent_id }) => agent_id);
    return { ids: ids.sort(), note: note as string | undefined };
  };
  expect((await search({})).ids).toEqual([...found].sort());
  expect((await search({ max_price_credits: 3 })).ids).toEqual([cheap]);
  expect((await search({ min_trust_score: 61 })).ids).toEqual([good]);
  expect((await search({ category: 'finance' })).ids).toEqual([cheap]);
  expect((await search({ max_latency_ms: 100 })).ids).toEqual([good]);
  expect(await search({ max_price_credits: 3, min_trust_score: 61 })).toEqual({
    ids: [],
    note: 'No agent matches. Use other words, or wider bounds.',
  });
  await client.close();
});

describe('bad input', () => {
  it('is refused in words', async () => {
    const client = await connectMarket(market, 'legacy', await byKey(await register(market, 'buyer')));
    expect(await use(client, 'search_agents', { intent: 'x'.repeat(10_000) })).toMatchObject({
      failed: 'validation_failed',
      words: expect.stringContaining('intent must have at most 2000 characters') as string,
    });
    expect((await use(client, 'search_agents', { intent: '"-" & | or' })).agents).toEqual([]);
    expect(await use(client, 'search_agents', { intent: 'echo '.repeat(300) })).toMatchObject({
      agents: expect.any(Array) as unknown[],
    });
    await expect(client.callTool({ name: 'invoke', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('is refused 10 ms after its request at the earliest, if there is no such agent', async () => {
    const client = await connectMarket(market, 'legacy', await byKey(await register(market, 'buyer')));
    const tookMs: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const beganAt = performance.now();
      const found = await use(client, 'describe_agent', { agent_id: 'agt_none_v1' });
      tookMs.push(performance.now() - beganAt);
      expect(found).toMatchObject({ failed: 'not_found' });
    }
    expect(Math.min(...tookMs)).toBeGreaterThanOrEqual(9);
    await client.close();
  });

  it('is refused before authentication from a foreign page', async () => {
    const response = await fetch(`${market.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: '{}',
    });
    expect(response.status).toBe(403);
    expect((await fetch(`${market.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await fetch(`${market.url}/mcp`)).status).toBe(405);
  });
});

it('calls a tool of an agent that is an MCP server, and names its tools', async () => {
  const upstream = await startAgent({ behaviour: mcpUpstream({ tools: [ANY_TOOL] }) });
  const serverId = await putServerLive(market, developer.userId, `${upstream.url}/mcp`);
  const buyer = await register(market, 'buyer', 100);
  const client = await connectMarket(market, 'legacy', await byKey(buyer));
  const described = await use(client, 'describe_agent', { agent_id: serverId });
  expect(described.tools).toMatchObject([{ name: ANY_TOOL.name, inputSchema: { type: 'object' } }]);
  const args = { agent_id: serverId, input: { a: 1 }, max_cost_credits: 50 };
  expect(await use(client, 'call_agent', args)).toMatchObject({
    failed: 'input_schema_mismatch',
    words: expect.stringContaining(ANY_TOOL.name) as string,
  });
  const call = await use(client, 'call_agent', { ...args, tool: ANY_TOOL.name, idempotency_key: 'k' });
  expect(call).toMatchObject({ status: 'succeeded', output: expect.anything() as unknown });
  const read = await use(client, 'get_call', { invocation_id: call.invocation_id });
  expect(read).toMatchObject({ status: 'succeeded', output: call.output });
  await client.close();
  await upstream.stop();
});

it('calls an agent whose server lists 2,000 tools, and says why none is shown', async () => {
  const tools = Array.from({ length: 2_000 }, (_, n) => ({ ...ANY_TOOL, name: `tool_${n}` }));
  const upstream = await startAgent({ behaviour: mcpUpstream({ tools }) });
  const serverId = await putServerLive(market, developer.userId, `${upstream.url}/mcp`);
  const buyer = await register(market, 'buyer', 100);
  const client = await connectMarket(market, 'legacy', await byKey(buyer));
  const described = await use(client, 'describe_agent', { agent_id: serverId });
  expect(described).toMatchObject({
    tools: [],
    note: expect.stringContaining('too many tools: a list has at most 1000 tools and 4 MiB') as string,
  });
  const args = { agent_id: serverId, input: { a: 1 }, max_cost_credits: 50 };
  expect(await use(client, 'call_agent', args)).toMatchObject({ failed: 'input_schema_mismatch' });
  expect(await use(client, 'call_agent', { ...args, tool: 'tool_1999' })).toMatchObject({
    status: 'succeeded',
  });
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_700);
  await client.close();
  await upstream.stop();
});
