/** MCP over plain HTTP, as tests write it: one POST, with the headers that each era asks for. */
import type { TestMarket, TestUser } from '../market';

/** As `JSON.parse` gives it. */
export type Json = ReturnType<typeof JSON.parse>;

export const MODERN = '2026-07-28';

export interface RpcAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: {
    jsonrpc?: string;
    id?: string | number | null;
    result?: Record<string, Json>;
    error?: { code: number | string; message: string; data?: Json };
  };
}

type Where = Pick<TestMarket, 'url'>;
type Who = Pick<TestUser, 'cookie'> | null;

/** POSTs `body` as it is (text) or as JSON, with the cookie of `who`; an `undefined` header takes a default away. */
export async function post(
  market: Where,
  who: Who,
  agentId: string,
  body: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<RpcAnswer> {
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    cookie: who?.cookie,
    ...headers,
  };
  const set = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(`${market.url}/mcp/a/${agentId}`, {
    method: 'POST',
    headers: set,
    body: typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? {} : (JSON.parse(text) as RpcAnswer['body']),
  };
}

/** A request of the era before 2026-07-28. */
export function legacy(
  market: Where,
  who: Who,
  agentId: string,
  method: string,
  params?: Record<string, unknown>,
  headers: Record<string, string | undefined> = {},
): Promise<RpcAnswer> {
  return post(market, who, agentId, { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }, headers);
}

export function modernBody(method: string, params: Record<string, unknown> = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { _meta, ...rest } = params;
  return {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { ...rest, _meta: { ...meta, ...(_meta as object | undefined) } },
  };
}

/** A request of 2026-07-28 with the headers that repeat it. */
export function modern(
  market: Where,
  who: Who,
  agentId: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string | undefined> = {},
): Promise<RpcAnswer> {
  return post(market, who, agentId, modernBody(method, params), {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
    ...headers,
  });
}
