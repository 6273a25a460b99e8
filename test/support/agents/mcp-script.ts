/** Hand-written MCP servers, for what the official ones never do. They are behaviours of `startAgent`. */
import type { Behaviour, Delivery } from './behaviours';

export interface McpMessage {
  id?: number;
  method: string;
  params?: Record<string, unknown>;
}

/** The answer to a method; `undefined`: the method does not exist. */
export type Answers = Record<string, (message: McpMessage, delivery: Delivery) => Behaviour>;

export function messageOf({ body }: Pick<Delivery, 'body'>): McpMessage {
  return body.length === 0 ? { method: '' } : (JSON.parse(body.toString()) as McpMessage);
}

export function result(message: McpMessage, value: unknown, headers: Record<string, string> = {}): Behaviour {
  return { kind: 'answer', output: { jsonrpc: '2.0', id: message.id, result: value }, headers };
}

export function refusal(message: McpMessage, code: number, status = 200, data?: unknown): Behaviour {
  const error = { code, message: 'AGENT-SECRET-DETAIL', data };
  return { kind: 'answer', status, output: { jsonrpc: '2.0', id: message.id ?? null, error } };
}

/** A stream of these texts as they are. */
export function stream(parts: readonly string[], then: 'end' | 'dies' | 'hangs' = 'end'): Behaviour {
  return { kind: 'stream', contentType: 'text/event-stream', parts: () => parts, then };
}

export function event(value: unknown, name?: string): string {
  return `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(value)}\n\n`;
}

export function text(value: string, isError?: boolean) {
  return { content: [{ type: 'text', text: value }], ...(isError !== undefined && { isError }) };
}

/** A server of 2026-07-28 without a handshake. */
export function modernServer(answers: Answers): (delivery: Delivery) => Behaviour {
  return serve({
    'server/discover': (message) =>
      result(message, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      }),
    ...answers,
  });
}

/** A server of 2025-11-25; if it has a session, it refuses requests without the session's id. */
export function legacyServer(
  answers: Answers,
  session?: () => string,
  capabilities: object = { tools: {} },
): (delivery: Delivery) => Behaviour {
  const served = serve({
    initialize: (message) =>
      result(
        message,
        {
          protocolVersion: '2025-11-25',
          capabilities,
          serverInfo: { name: 'old', version: '1' },
        },
        session ? { 'mcp-session-id': session() } : {},
      ),
    'notifications/initialized': () => ({ kind: 'answer', status: 202, output: null }),
    ...answers,
  });
  return (delivery) => {
    const message = messageOf(delivery);
    if (delivery.method === 'DELETE') return { kind: 'answer', output: null };
    const isOpen = !session || message.method === 'initialize';
    if (isOpen || delivery.headers['mcp-session-id'] === session()) return served(delivery);
    const isKnown = delivery.headers['mcp-session-id'] !== undefined;
    return refusal(message, isKnown ? -32001 : -32000, isKnown ? 404 : 400);
  };
}

function serve(answers: Answers): (delivery: Delivery) => Behaviour {
  return (delivery) => {
    const message = messageOf(delivery);
    return answers[message.method]?.(message, delivery) ?? refusal(message, -32601, 404);
  };
}
