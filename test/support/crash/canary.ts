/** A credential, a host and a path that must not be found, and an agent that repeats all three wherever it can. */
import type { Behaviour, Delivery } from '../agents/behaviours';

export const HOST = 'canaryhost7f3a9c41';
export const PATH = 'canarypath51d2e8b6';
export const KEY = 'canarycredential90ab4c7e';
export const WORDS = [HOST, PATH, KEY];
export const AUTH = { header: 'X-Canary-Key', key: `Bearer ${KEY}` };

/**
 * The answer of a careless agent: the address and headers of the caller, in every form in which frameworks print them.
 */
function chatter({ headers, path }: Delivery) {
  const value = String(headers['x-canary-key']);
  return {
    text: `you are ${value}`,
    headers,
    dump: JSON.stringify({ headers, path }),
    encoded: [
      Buffer.from(value).toString('base64'),
      encodeURIComponent(value),
      Buffer.from(KEY).toString('hex'),
    ],
  };
}

/** Only the credential is repeated in answers that buyers see: an agent may name its own host if it likes. */
export function answersOf(delivery: Delivery): Behaviour {
  const { text, encoded } = chatter(delivery);
  const output = { text, encoded, headers: { 'x-canary-key': delivery.headers['x-canary-key'] } };
  if (!delivery.path.endsWith('/mcp')) return { kind: 'answer', output };
  const { id, method } = JSON.parse(delivery.body.toString() || '{}') as { id?: number; method?: string };
  const result = (value: unknown): Behaviour => ({
    kind: 'answer',
    output: { jsonrpc: '2.0', id, result: value },
  });
  if (method === 'initialize') {
    const serverInfo = { name: text, version: '1' };
    return result({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'notifications/initialized') return { kind: 'answer', output: {}, status: 202 };
  if (method === 'tools/list') {
    return result({ tools: [{ name: 'look', description: text, inputSchema: { type: 'object' } }] });
  }
  if (method === 'tools/call') return result({ content: [{ type: 'text', text: JSON.stringify(output) }] });
  const error = { code: -32601, message: `no ${method} for ${text}`, data: output };
  return { kind: 'answer', output: { jsonrpc: '2.0', id, error } };
}

/** Failures whose messages contain every secret; none of it may reach a caller. */
export const failuresAt = (base: string): ((delivery: Delivery) => Behaviour)[] => [
  (delivery) => ({ kind: 'answer', status: 500, output: { ...chatter(delivery), url: base } }),
  (delivery) => ({ kind: 'answer', status: 401, output: { ...chatter(delivery), url: base } }),
  (delivery) => ({
    kind: 'raw',
    bytes: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"${base} ${String(delivery.headers['x-canary-key'])}`,
  }),
  () => ({ kind: 'redirect', location: `${base}/elsewhere` }),
  () => ({ kind: 'dies_before_answer' }),
  () => ({ kind: 'encoded', encoding: 'gzip', body: Buffer.from(base) }),
];

/** The same answer as a stream of words. */
export const streamed = (delivery: Delivery): Behaviour => ({
  kind: 'stream',
  contentType: 'text/event-stream',
  parts: () => [...`${chatter(delivery).text} done`].map((chunk) => `data: ${JSON.stringify({ chunk })}\n\n`),
});
