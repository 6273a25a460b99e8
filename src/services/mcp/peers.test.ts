/** Our client against servers of the official library, in each of their manners. */
import { testCertificates } from '../../../test/support/agents/authority';
import { startMcpServer, type McpManner, type TestMcpServer } from '../../../test/support/agents/mcp-server';
import { egressSettings } from '../../../test/support/stack/egress';
import { read, toolCall, untaken } from '../../../test/support/protocols/mcp-client';
import { createEgress, type Egress } from '../../egress/agent-call';
import { createMcpClient } from './client';

let egress: Egress;
let server: TestMcpServer;

beforeAll(async () => {
  await testCertificates();
  egress = createEgress(egressSettings());
});
afterEach(() => server.stop());
afterAll(() => egress.close());

const MANNERS: [McpManner, 'modern' | 'legacy'][] = [
  ['modern-json', 'modern'],
  ['modern-sse', 'modern'],
  ['both-json', 'modern'],
  ['both-sse', 'modern'],
  ['legacy-session-json', 'legacy'],
  ['legacy-session-sse', 'legacy'],
  ['legacy-stateless-json', 'legacy'],
];

it.each(MANNERS)('calls and lists the tools of a server that is %s', async (manner, era) => {
  server = await startMcpServer(manner);
  const client = createMcpClient({ egress });
  const target = { url: server.url, headers: {}, cacheKey: 'v1', read };
  const limits = () => ({ deadlineMs: Date.now() + 10_000, maxResponseBytes: 1_000_000 });
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { json, isError } = untaken(await client.callTool(target, toolCall(tool, args), limits()));
    return { isError, result: JSON.parse(json.toString()) as Record<string, unknown> };
  };

  expect(await call('add', { a: 2, b: 3 })).toMatchObject({
    isError: false,
    result: { structuredContent: { sum: 5 } },
  });
  const text = 'Zürich\u2028"'.repeat(1_000);
  const echoed = (await call('echo', { text })).result['content'] as { text: string }[];
  expect(JSON.parse(echoed[0]?.text ?? '')).toEqual({ text });
  expect(await call('fails')).toMatchObject({
    isError: true,
    result: { content: [{ text: 'no such city' }] },
  });
  const tools = await client.listTools(target, limits());
  expect(tools.map(({ name }) => name)).toEqual(['add', 'echo', 'fails']);
  await expect(call('nothing')).rejects.toMatchObject({ code: 'agent_error' });

  const methods = server.requests.map(({ method }) => method);
  expect(methods.filter((method) => method === 'server/discover')).toHaveLength(1);
  expect(methods.filter((method) => method === 'initialize')).toHaveLength(era === 'modern' ? 0 : 5);
});

it('gives each of many calls at once its own session and its own answer', async () => {
  server = await startMcpServer('legacy-session-sse');
  const client = createMcpClient({ egress });
  const target = { url: server.url, headers: {}, cacheKey: 'v1', read };
  const limits = { deadlineMs: Date.now() + 20_000, maxResponseBytes: 1_000_000 };
  const sums = await Promise.all(
    Array.from({ length: 20 }, async (_unused, n) => {
      const { json } = untaken(await client.callTool(target, toolCall('add', { a: n, b: 1 }), limits));
      return (JSON.parse(json.toString()) as { structuredContent: { sum: number } }).structuredContent.sum;
    }),
  );
  expect(sums).toEqual(Array.from({ length: 20 }, (_unused, n) => n + 1));
  const calls = server.requests.filter(({ method }) => method === 'tools/call');
  expect(new Set(calls.map(({ headers }) => headers['mcp-session-id'])).size).toBe(20);
});
