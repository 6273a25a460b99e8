/**
 * Rules for the header that carries a developer's upstream credential (specification: "any header name is allowed",
 * except framing headers).
 */

import { MIN_CREDENTIAL_LENGTH, secretLength } from '../kit/masking/secrets-in-header';

/** Headers that would change the framing or the target of a message. */
const FRAMING = [
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect',
  'content-type', 'content-encoding', 'accept-encoding',
]; // prettier-ignore
/** Headers that the service sets itself; also those of MCP (`mcp-…`) and of proxies (`proxy-…`). */
const OURS = [
  'accept', 'user-agent', 'x-invocation-id', 'x-agent-version', 'x-deadline-ms', 'x-callback-url', 'x-marketplace-hops',
  'idempotency-key', 'traceparent', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'signature',
  'signature-input', 'signature-agent',
]; // prettier-ignore
const REFUSED: ReadonlySet<string> = new Set([...FRAMING, ...OURS]);
const FRAMING_SET: ReadonlySet<string> = new Set(FRAMING.filter((name) => name !== 'content-type'));

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
// visible Latin-1, space and tab
const VALUE = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/;
const MAX_VALUE_BYTES = 8_192;

export type HeaderRule =
  'header_name_invalid' | 'header_name_reserved' | 'header_value_invalid' | 'credential_too_short';

/**
 * Returns the rule that refuses a credential header, or undefined when it is allowed. An empty value means no
 * credential.
 */
export function refusedCredential(name: string, value: string): HeaderRule | undefined {
  if (!TOKEN.test(name)) return 'header_name_invalid';
  const lower = name.toLowerCase();
  if (REFUSED.has(lower) || /^(?:proxy|mcp)-/.test(lower)) return 'header_name_reserved';
  if (!VALUE.test(value) || value.length > MAX_VALUE_BYTES) return 'header_value_invalid';
  const isShort = value !== '' && secretLength(value) < MIN_CREDENTIAL_LENGTH;
  return isShort ? 'credential_too_short' : undefined;
}

/** The first of these headers that only the egress client may set; undefined if there is none. */
export function framingHeaderIn(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(headers).find((name) => {
    const lower = name.toLowerCase();
    return FRAMING_SET.has(lower) || lower.startsWith('proxy-');
  });
}
