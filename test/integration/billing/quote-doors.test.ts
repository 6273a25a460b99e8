/** A quote by every protocol: the call has the price and the version of the quote, and its receipt names it. */
import { expectWholeLedger, invoke, putLive, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { makeKey } from '../../support/accounts/keys';
import { chat, CHAT_SCHEMAS } from '../../support/calls/chat';
import { eventStream } from '../../support/agents/behaviours';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { legacy, modern } from '../../support/protocols/mcp';
import { connectMarket } from '../../support/protocols/market-mcp';
import { useScene } from '../../support/use-market';

const scene = useScene();
const INPUT = { text: 'quoted' };
let chatting: TestAgent;
let chatId: string;

beforeAll(async () => {
  chatting = await startAgent({ behaviour: eventStream(['Hello']), host: '127.77.0.3' });
  const developer = await register(scene.market, 'developer');
  ({ agentId: chatId } = await putLive(scene.market, developer.userId, chatting.url, {
    credits: 5,
    ...CHAT_SCHEMAS,
  }));
});
afterEach(() => expectWholeLedger(scene.market));
afterAll(() => chatting.stop());

interface Caller {
  user: TestUser;
  key: string;
}
type Door = (who: Caller, quoteId: string) => Promise<unknown>;
const metaOf = (quoteId: string) => ({ 'io.market/quote_id': quoteId });
const tool = (quoteId: string) => ({ name: 'invoke', arguments: INPUT, _meta: metaOf(quoteId) });

const DOORS: Record<string, Door> = {
  REST: ({ user }, quoteId) => invoke(scene.market, user, scene.agentId, { input: INPUT, quote_id: quoteId }),
  'MCP of before 2026': ({ user }, quoteId) =>
    legacy(scene.market, user, scene.agentId, 'tools/call', tool(quoteId)),
  'MCP of 2026': ({ user }, quoteId) =>
    modern(scene.market, user, scene.agentId, 'tools/call', tool(quoteId)),
  'the MCP server of the market': async ({ key }, quoteId) => {
    const client = await connectMarket(scene.market, 'legacy', { 'x-api-key': key });
    const args = { agent_id: scene.agentId, input: INPUT, max_cost_credits: 10 };
    return client.callTool({ name: 'call_agent', arguments: args, _meta: metaOf(quoteId) });
  },
  A2A: async ({ user }, quoteId) =>
    sendTask(
      await clientFor(scene.market, user, scene.agentId, 'JSONRPC'),
      dataMessage(INPUT, { metadata: metaOf(quoteId) }),
    ),
};

async function caller(): Promise<Caller> {
  const user = await register(scene.market, 'buyer', 100);
  const { key } = await makeKey(scene.market, user, { scopes: ['agents:invoke', 'agents:read'] });
  return { user, key };
}
const quoted = async (user: TestUser, agentId: string, input: object) =>
  (await request<{ quote_id: string }>(scene.market, user, 'POST', `/v1/agents/${agentId}/quote`, { input }))
    .body.quote_id;

/** The quotes that the receipts of the account's calls name. */
async function named(user: TestUser): Promise<unknown[]> {
  const calls = await request<{ items: { invocation_id: string; status: string }[] }>(
    scene.market,
    user,
    'GET',
    '/v1/invocations',
  );
  const succeeded = calls.body.items.filter(({ status }) => status === 'succeeded');
  const details = await Promise.all(
    succeeded.map(({ invocation_id: id }) =>
      request<{ evidence: { document: { offer?: { quote_id?: string } } } }>(
        scene.market,
        user,
        'GET',
        `/v1/invocations/${id}`,
      ),
    ),
  );
  return details.map(({ body }) => JSON.stringify(body).match(/quo_[0-9a-f]{32}/)?.[0]);
}

it.each(Object.keys(DOORS))('by %s is in the receipt, and buys one call', async (door) => {
  const who = await caller();
  const quoteId = await quoted(who.user, scene.agentId, INPUT);
  await DOORS[door]?.(who, quoteId);
  expect(await named(who.user)).toEqual([quoteId]);
  await DOORS[door]?.(who, quoteId).catch(() => undefined);
  expect(await named(who.user)).toEqual([quoteId]);
});

it.each(Object.keys(DOORS))('by %s is refused for another input', async (door) => {
  const who = await caller();
  const quoteId = await quoted(who.user, scene.agentId, { text: 'another' });
  await DOORS[door]?.(who, quoteId).catch(() => undefined);
  expect(await named(who.user)).toEqual([]);
});

describe('of a chat', () => {
  const messages = [{ role: 'user', content: 'Hello?' }];

  it.each([
    ['without a session', {}],
    ['of a session', { session_id: 'ses_own' }],
  ])('covers the messages of a turn %s', async (_name, session) => {
    const { user } = await caller();
    const quoteId = await quoted(user, chatId, { messages, ...session });
    await chat(scene.market, user, chatId, { messages, ...session, quote_id: quoteId });
    expect(await named(user)).toEqual([quoteId]);
  });

  it('does not cover other messages', async () => {
    const { user } = await caller();
    const quoteId = await quoted(user, chatId, { messages });
    const other = { messages: [{ role: 'user', content: 'Bye' }], quote_id: quoteId };
    await chat(scene.market, user, chatId, other).catch(() => undefined);
    expect(await named(user)).toEqual([]);
  });
});
