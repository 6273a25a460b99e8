/** The market's own MCP server, as the official clients see it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Json } from './mcp';

export type Mode = 'legacy' | { pin: string };
export const MODES: [string, Mode][] = [
  ['legacy', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
];

/** Connects a client to `POST /mcp`. */
export async function connectMarket(
  { url }: { url: string },
  mode: Mode,
  headers: Record<string, string>,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

/** Calls a tool. Returns what it gave, in structure; for a failure, the words and the code. */
export async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Json> {
  const result = await client.callTool({ name, arguments: args });
  if (!result.isError) return result.structuredContent;
  const [words] = result.content as { text: string }[];
  return { failed: result._meta?.['io.market/error_code'], words: words?.text };
}
