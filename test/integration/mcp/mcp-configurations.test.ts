/** The configurations that the documents show for MCP clients work as they stand, once a key is filled in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { makeKey } from '../../support/accounts/keys';
import { balance, putLive, register } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

interface Server {
  type?: string;
  url: string;
  headers: Record<string, string>;
}
/** A server that a client reaches by `mcp-remote`. */
interface Forwarded {
  command: string;
  args: string[];
  env: Record<string, string>;
}

const TEXT = ['mcp-and-a2a', 'mcp-configurations']
  .map((page) => readFileSync(join(__dirname, `../../../docs/${page}.md`), 'utf8'))
  .join('\n');
const CLIENTS = {
  'VS Code': 'servers',
  Cursor: 'mcpServers',
  Zed: 'context_servers',
  'Claude Code': 'mcpServers',
  'Claude Desktop': 'mcpServers',
};
const ERAS = [['legacy', 'legacy'] as const, ['modern', { pin: '2026-07-28' }] as const];

const market = useMarket();
const agent = useAgent();

beforeAll(async () => {
  const developer = await register(market, 'developer');
  await putLive(market, developer.userId, agent.url, { agentId: 'html-to-markdown', credits: 3 });
});

/** The only server of a client's example, as that client reads it. */
function serverOf(client: keyof typeof CLIENTS): Server {
  const block =
    new RegExp(`^\\*\\*${client}\\*\\*[^]*?^\`\`\`json\\n([^]*?)^\`\`\``, 'm').exec(TEXT)?.[1] ?? '';
  const servers = (JSON.parse(block) as Record<string, Record<string, Server | Forwarded>>)[CLIENTS[client]];
  const [server, ...others] = Object.values(servers ?? {});
  if (!server || others.length > 0) throw new Error(`${client}: ${block}`);
  return 'command' in server ? directly(server) : server;
}

/** What `mcp-remote` connects to, by its arguments: `--header Name:value`, with variables of its environment. */
function directly({ command, args, env }: Forwarded): Server {
  const [yes, program, url = '', ...options] = args;
  expect([command, yes, program]).toEqual(['npx', '-y', expect.stringMatching(/^mcp-remote@\d/)]);
  const pairs = options.flatMap((option, at) => {
    const [name = '', value = ''] = (option === '--header' && options[at + 1]?.split(':')) || [];
    return name === ''
      ? []
      : [[name, value.replace(/\$\{(\w+)\}/, (_, variable: string) => env[variable] ?? '')]];
  });
  return { url, headers: Object.fromEntries(pairs) as Record<string, string> };
}

/** The values of the client's variables, and of the key in the example. */
function filled({ url, headers }: Server, key: string): { url: URL; headers: Record<string, string> } {
  const values = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace(/\$\{(input:market-key|(env:)?MARKET_API_KEY)\}|amk_live_…/, key),
  ]);
  return {
    url: new URL(url.replace('http://127.0.0.1:4000', market.url)),
    headers: Object.fromEntries(values) as Record<string, string>,
  };
}

describe.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])('the configuration for %s', (client) => {
  it.each(ERAS)('lists and calls the agent (%s)', async (_name, mode) => {
    const buyer = await register(market, 'buyer', 100);
    const key = await makeKey(market, buyer, { scopes: ['agents:invoke'], credit_cap: 100 });
    const { url, headers } = filled(serverOf(client), key.key);
    const peer = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await peer.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    expect((await peer.listTools()).tools.map(({ name }) => name)).toEqual(['invoke']);
    const result = await peer.callTool({ name: 'invoke', arguments: { text: 'configured' } });
    expect(result.structuredContent).toEqual({ text: 'configured' });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_700);
    await peer.close();
  });

  it('carries the ceiling of a call', () => {
    expect(serverOf(client).headers['X-Max-Cost-Credits']).toBe('10');
  });
});

it('names the transport where a client asks for it', () => {
  expect(serverOf('VS Code').type).toBe('http');
  expect(serverOf('Claude Code').type).toBe('http');
});
