/** A developer's MCP server as the official library makes it, on HTTPS. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer, type Server } from '@modelcontextprotocol/server';
import { testCertificates } from './authority';

/** How it speaks: the era, and whether it answers in JSON or in events; the last two know both eras. */
export type McpManner =
  | 'modern-json'
  | 'modern-sse'
  | 'legacy-session-json'
  | 'legacy-session-sse'
  | 'legacy-stateless-json'
  | 'both-json'
  | 'both-sse';

export interface TestMcpServer {
  url: string;
  /** `method` of the message, or of HTTP when there is none, of each request so far. */
  requests: { method: string; headers: IncomingMessage['headers'] }[];
  stop(): Promise<void>;
}

type Handler = (req: IncomingMessage, res: ServerResponse, body: unknown) => Promise<void>;

/** Makes the server of one request, or of one session. */
type Make = () => McpServer | Server;

/** `add {a, b}` answers with structure, `echo` with what it got and some progress, `fails` that it failed. */
export async function startMcpServer(manner: McpManner, make: Make = makeServer): Promise<TestMcpServer> {
  const requests: TestMcpServer['requests'] = [];
  const handle = handlerOf(manner, make);
  const { certPem, keyPem } = (await testCertificates()).leaf;
  const server = createServer({ cert: certPem, key: keyPem }, (req, res) => {
    void readJson(req)
      .then((body) => {
        const { method = req.method ?? '' } = (body ?? {}) as { method?: string };
        requests.push({ method, headers: req.headers });
        return handle(req, res, body);
      })
      .catch(() => res.destroy());
  });
  server.listen(0, '127.77.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.77.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function handlerOf(manner: McpManner, make: Make): Handler {
  if (manner === 'legacy-stateless-json') return stateless(make);
  if (manner === 'legacy-session-json' || manner === 'legacy-session-sse') {
    return withSessions(make, manner === 'legacy-session-json');
  }
  const responseMode = manner.endsWith('json') ? 'auto' : 'sse';
  const legacy = manner.startsWith('both') ? 'stateless' : 'reject';
  const node = toNodeHandler(createMcpHandler(make, { legacy, responseMode }));
  return async (req, res, body) => void (await node(req as Parameters<typeof node>[0], res, body));
}

function stateless(make: Make): Handler {
  return async (req, res, body) => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    await make().connect(transport);
    await transport.handleRequest(req, res, body);
  };
}

function withSessions(make: Make, enableJsonResponse: boolean): Handler {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  return async (req, res, body) => {
    const known = sessions.get(String(req.headers['mcp-session-id']));
    if (known) return known.handleRequest(req, res, body);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await make().connect(transport);
    return transport.handleRequest(req, res, body);
  };
}

function makeServer(): McpServer {
  const server = new McpServer({ name: 'a developer', version: '1.0.0' });
  const numbers = fromJsonSchema<{ a: number; b: number }>({
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'number' }, b: { type: 'number' } },
  });
  const sum = fromJsonSchema<{ sum: number }>({ type: 'object', properties: { sum: { type: 'number' } } });
  const config = { description: 'Adds', inputSchema: numbers, outputSchema: sum };
  server.registerTool('add', config, async ({ a, b }) => {
    return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } };
  });
  const anything = fromJsonSchema<Record<string, unknown>>({ type: 'object' });
  server.registerTool('echo', { inputSchema: anything }, async (args, context) => {
    const progress = { level: 'info' as const, data: 'working' };
    await context.mcpReq.notify({ method: 'notifications/message', params: progress }).catch(() => undefined);
    return { content: [{ type: 'text', text: JSON.stringify(args) }] };
  });
  server.registerTool('fails', {}, async () => {
    return { content: [{ type: 'text', text: 'no such city' }], isError: true };
  });
  return server;
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}
