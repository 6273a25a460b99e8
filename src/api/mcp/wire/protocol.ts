/** Constants of MCP for our endpoint, in both eras, and our own keys in `_meta`. */

import {
  HEADER_MISMATCH,
  LEGACY_VERSIONS,
  MISSING_CAPABILITY,
  MODERN_VERSION,
  UNSUPPORTED_VERSION,
} from '../../../services/mcp/protocol';

/** Newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: HEADER_MISMATCH,
  missingCapability: MISSING_CAPABILITY,
  unsupportedVersion: UNSUPPORTED_VERSION,
} as const;

/** `_meta` keys of the protocol. */
export const PROTOCOL_META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  /** The least level of log messages that the client wants during a request. */
  logLevel: 'io.modelcontextprotocol/logLevel',
  /** Of the messages on a stream of `subscriptions/listen`: the id of that request. */
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  /** 2025-11-25: of the result of a task. */
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const;

/** The extension by which a modern client takes a task instead of a result. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

export type RpcId = string | number;

/** A request, or a notification if it has no id. */
export interface McpMessage {
  id: RpcId | undefined;
  method: string;
  params: Record<string, unknown>;
}

/** An error of the protocol. It is sent as a JSON-RPC error, never as the result of a tool. */
export class McpFault extends Error {
  override readonly name = 'McpFault';
  readonly status: number;
  readonly data: unknown;
  /** Id of the message, if it could be read from an invalid message. */
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
  return typeof version === 'string' && DATE.test(version) && version >= MODERN_VERSION;
}
