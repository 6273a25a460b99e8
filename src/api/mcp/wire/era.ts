/**
 * Determines the era of a message and checks its rules (MCP reference, "Streamable HTTP" and "Versioning"). The body
 * decides: a modern request has its version in `_meta`. Headers repeat parts of the body. A header that differs from
 * the body is refused, because a proxy may have relied on it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { decodeMcpHeader } from '../../../kit/streams/mcp-mirrors';
import { LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../../services/mcp/protocol';
import {
  isModernVersion,
  McpFault,
  PROTOCOL_META,
  RPC,
  SUPPORTED_VERSIONS,
  type McpMessage,
} from './protocol';
import { asRecord, isRecord } from '../../../domain/json-value';

/** Methods of which one parameter must be repeated in `Mcp-Name`. */
const NAMED_BY: Readonly<Record<string, 'name' | 'uri' | 'taskId' | undefined>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Returns the era of a message. Throws `McpFault` if the message is valid in no era. */
export function eraOf(message: McpMessage, headers: IncomingHttpHeaders): Era {
  const meta = asRecord(message.params._meta);
  const named = headerOf(headers, 'mcp-protocol-version');
  const isClaimed = Object.hasOwn(meta, PROTOCOL_META.version);
  if (!isClaimed && !isModernVersion(named)) {
    if (message.method !== 'initialize') requireLegacyVersion(named);
    return 'legacy';
  }
  // The revision has no header rules for notifications over HTTP.
  if (message.id === undefined) return 'modern';
  requireEnvelope(message, meta, named);
  requireRepeated('Mcp-Method', headerOf(headers, 'mcp-method'), message.method);
  const source = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const name = source && message.params[source];
  if (typeof name === 'string') requireRepeated('Mcp-Name', decodedName(headers), name);
  return 'modern';
}

/** Throws for an unknown version. A missing header means 2025-03-26, which does not define it. */
function requireLegacyVersion(version: string | undefined): void {
  if (version !== undefined && !LEGACY_VERSIONS.includes(version)) throw unsupported(version);
}

function requireEnvelope(
  message: McpMessage,
  meta: Record<string, unknown>,
  named: string | undefined,
): void {
  const version = meta[PROTOCOL_META.version];
  if (version === undefined && message.method === 'initialize') {
    throw mismatch(`initialize does not exist in the version that MCP-Protocol-Version names`);
  }
  if (typeof version !== 'string') throw malformed(PROTOCOL_META.version);
  if (named === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (named !== version) throw mismatch('MCP-Protocol-Version is not the version in _meta');
  if (version !== MODERN_VERSION) throw unsupported(version);
  if (!isRecord(meta[PROTOCOL_META.capabilities])) throw malformed(PROTOCOL_META.capabilities);
}

function requireRepeated(header: string, sent: string | undefined, inBody: string): void {
  if (sent === undefined) throw mismatch(`${header} is missing or malformed`);
  if (sent !== inBody) throw mismatch(`${header} does not repeat the body`);
}

function decodedName(headers: IncomingHttpHeaders): string | undefined {
  const sent = headerOf(headers, 'mcp-name');
  return sent === undefined ? undefined : decodeMcpHeader(sent);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Error -32020 for headers that are missing, malformed or different from the body. */
export function mismatch(what: string): McpFault {
  return new McpFault(RPC.headerMismatch, `Header mismatch: ${what}.`, { status: 400 });
}

function malformed(key: string): McpFault {
  return new McpFault(RPC.invalidParams, `_meta["${key}"] is missing or malformed.`, { status: 400 });
}

function unsupported(requested: string): McpFault {
  return new McpFault(RPC.unsupportedVersion, 'Unsupported protocol version', {
    status: 400,
    data: { supported: SUPPORTED_VERSIONS, requested },
  });
}
