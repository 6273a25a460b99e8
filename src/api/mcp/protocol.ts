/** The words of MCP that our endpoint speaks, in both eras, and our own keys in its `_meta`. */

/** Revisions that open with `initialize`; the newest one first. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Revisions whose requests carry everything in `_meta`; the newest one first. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];
const FIRST_MODERN_VERSION = '2026-07-28';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export type Era = 'legacy' | 'modern';

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** `_meta` keys of the protocol. */
export const PROTOCOL_META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** `_meta` keys of the marketplace: the first three come in with a call, the others go out with its result. */
export const MARKET_META = {
  maxCostCredits: 'io.market/max_cost_credits',
  idempotencyKey: 'io.market/idempotency_key',
  mandate: 'io.market/mandate',
  invocationId: 'io.market/invocation_id',
  traceId: 'io.market/trace_id',
  creditsCharged: 'io.market/credits_charged',
  errorCode: 'io.market/error_code',
  errorMessage: 'io.market/error_message',
  replayed: 'io.market/idempotent_replayed',
  outputExpired: 'io.market/output_expired',
  contentType: 'io.market/content_type',
} as const;

export type RpcId = string | number;

/** A request, or a notification when it has no id. */
export interface McpMessage {
  id: RpcId | undefined;
  method: string;
  params: Record<string, unknown>;
}

/** A failure of the protocol: it is answered as a JSON-RPC error, never as the result of a tool. */
export class McpFault extends Error {
  override readonly name = 'McpFault';
  readonly status: number;
  readonly data: unknown;
  /** Of the message, where it could be read of what is no message. */
  readonly id: RpcId | undefined;

  constructor(
    readonly code: number,
    message: string,
    options: { status?: number; data?: unknown; id?: RpcId | undefined } = {},
  ) {
    super(message);
    this.status = options.status ?? 200;
    this.data = options.data;
    this.id = options.id;
  }
}

export function isModernVersion(version: unknown): version is string {
  return typeof version === 'string' && DATE.test(version) && version >= FIRST_MODERN_VERSION;
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
