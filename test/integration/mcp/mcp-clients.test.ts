/** The official client library, which shares no code with our server, against it in both eras. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { balance, invoke, putLive, register, type TestUser } from '../../support/market';
import type { Json } from '../../support/protocols/mcp';
import { request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
});

type Mode = 'legacy' | 'auto' | { pin: string };

async function connect(mode: Mode, agentId: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode, probe: { timeoutMs: 10_000 } } },
  );
  const url = new URL(`${market.url}/mcp/a/${agentId}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const modes: [string, Mode][] = [
  ['legacy', 'legacy'],
  ['auto', 'auto'],
  ['pinned', { pin: '2026-07-28' }],
];

describe.each(modes)('a client that negotiates: %s', (_name, mode) => {
  it('finds the tool, calls it and reads its structured result', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const client = await connect(mode, agentId, { cookie: buyer.cookie });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, title }) => [name, title])).toEqual([['invoke', 'Echo agent']]);
    const result = await client.callTool({ name: 'invoke', arguments: { text: 'hello', n: 1 } });
    expect(result).toMatchObject({
      structuredContent: { text: 'hello', n: 1 },
      _meta: { 'io.market/credits_charged': 7 },
    });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_300);
    await client.close();
  });

  it('gets a business failure as a result, and a wrong tool as an error', async () => {
    const buyer = await register(market, 'buyer', 1);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const client = await connect(mode, agentId, { cookie: buyer.cookie });
    await client.listTools();
    const refused = await client.callTool({ name: 'invoke', arguments: { text: 'hello' } });
    expect(refused).toMatchObject({
      isError: true,
      _meta: { 'io.market/error_code': 'insufficient_credits' },
    });
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('works with an API key', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const key = async (scopes: string[]) => {
      const reply = await request<{ key: string }>(market, buyer, 'POST', '/v1/keys', {
        name: 'mcp',
        scopes,
      });
      return { 'x-api-key': reply.body.key };
    };
    const client = await connect(mode, agentId, await key(['agents:invoke']));
    const result = await client.callTool({ name: 'invoke', arguments: { text: 'hello' } });
    expect(result.structuredContent).toEqual({ text: 'hello' });
    await client.close();
    await expect(connect(mode, agentId, await key(['agents:read']))).rejects.toThrow();
    await expect(connect(mode, agentId, { 'x-api-key': `amk_live_${'x'.repeat(36)}` })).rejects.toThrow();
  });
});

it('costs the same, and leaves the same in the books, by REST and by MCP of both eras', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
  const rest = await register(market, 'buyer', 100);
  await invoke(market, rest, agentId, { input: { text: 'same' } });
  const buyers = [rest];
  for (const [, mode] of modes) {
    const buyer = await register(market, 'buyer', 100);
    const client = await connect(mode, agentId, { cookie: buyer.cookie });
    await client.callTool({ name: 'invoke', arguments: { text: 'same' } });
    await client.close();
    buyers.push(buyer);
  }
  const traces = await Promise.all(buyers.map(traceOf));
  expect(traces[0]).toMatchObject({ count: 1, status: 'succeeded', charged: 7, valid: true });
  for (const trace of traces) expect(trace).toEqual(traces[0]);
});

/** The rows of one call, without values that differ for each call. */
async function traceOf(buyer: TestUser): Promise<unknown> {
  const list = await request<{ items: Record<string, Json>[] }>(market, buyer, 'GET', '/v1/invocations');
  const [item] = list.body.items;
  const entries = await market.owner.query<{ kind: string; amount_units: string }>(
    `SELECT a.kind, e.amount_units FROM entries e JOIN accounts a USING (account_id)
      JOIN transactions t USING (transaction_id)
     WHERE t.invocation_id = $1 ORDER BY a.kind, e.amount_units`,
    [item?.['invocation_id']],
  );
  return {
    count: list.body.items.length,
    status: item?.['status'],
    charged: item?.['usage'].credits_charged,
    input: item?.['evidence']?.receipt.input_sha256,
    output: item?.['evidence']?.receipt.output_sha256,
    valid: item?.['evidence']?.receipt.schema_valid,
    entries: entries.rows,
  };
}
