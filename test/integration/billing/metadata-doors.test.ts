/** The metadata of a call by every protocol: it finds the call, is summed by tag, and does not reach the agent. */
import { expectWholeLedger, invoke, type InvokeReply, register } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { makeKey } from '../../support/accounts/keys';
import { clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { legacy, modern } from '../../support/protocols/mcp';
import { connectMarket } from '../../support/protocols/market-mcp';
import { useScene } from '../../support/use-market';

const scene = useScene();
const META = { 'io.market/metadata': { project: 'atlas' } };
const INPUT = { text: 'hello' };

type Door = (who: { cookie: string; key: string }) => Promise<unknown>;
const tool = { name: 'invoke', arguments: INPUT, _meta: META };

const DOORS: Record<string, Door> = {
  'the field of REST': (who) =>
    invoke(scene.market, who, scene.agentId, { input: INPUT, metadata: { project: 'atlas' } }),
  'the header of REST': (who) =>
    invoke(scene.market, who, scene.agentId, { input: INPUT }, { 'x-metadata': '{"project":"atlas"}' }),
  'MCP of before 2026': (who) => legacy(scene.market, who, scene.agentId, 'tools/call', tool),
  'MCP of 2026': (who) => modern(scene.market, who, scene.agentId, 'tools/call', tool),
  'the MCP server of the market': async ({ key }) => {
    const client = await connectMarket(scene.market, 'legacy', { 'x-api-key': key });
    const args = { agent_id: scene.agentId, input: INPUT, max_cost_credits: 10 };
    return client.callTool({ name: 'call_agent', arguments: args, _meta: META });
  },
  A2A: async (who) =>
    sendTask(
      await clientFor(scene.market, who, scene.agentId, 'JSONRPC'),
      dataMessage(INPUT, { metadata: META }),
    ),
};

afterEach(() => expectWholeLedger(scene.market));

it.each(Object.keys(DOORS))('by %s finds and sums the call', async (door) => {
  const { market, agent } = scene;
  const buyer = await register(market, 'buyer', 100);
  const { key } = await makeKey(market, buyer, { scopes: ['agents:invoke', 'agents:read'] });
  await DOORS[door]?.({ cookie: buyer.cookie, key });
  const found = await request<{ items: InvokeReply[] }>(
    market,
    buyer,
    'GET',
    '/v1/invocations?tag=project%3Datlas',
  );
  expect(found.body.items).toHaveLength(1);
  expect(found.body.items[0]).toMatchObject({ status: 'succeeded', metadata: { project: 'atlas' } });
  const spend = await request<{ items: object[] }>(market, buyer, 'GET', '/v1/billing/spend?group_by=tag');
  expect(JSON.stringify(spend.body)).toContain('"atlas"');
  expect(agent.deliveries.at(-1)?.body.toString()).not.toContain('atlas');
});
