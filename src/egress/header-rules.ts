/** Which header a developer's credential may travel in (specification: "any header name is allowed", but the framing). */

/** Names that would change the message's framing or target. */
const FRAMING = [
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect',
  'content-type', 'content-encoding', 'accept-encoding',
]; // prettier-ignore
/** Names that we set ourselves; those of MCP (`mcp-…`) and of proxies (`proxy-…`) besides. */
const OURS = [
  'accept', 'user-agent', 'x-invocation-id', 'x-agent-version', 'x-deadline-ms', 'x-marketplace-hops',
  'idempotency-key', 'traceparent', 'webhook-id', 'webhook-timestamp', 'webhook-signature',
]; // prettier-ignore
const REFUSED: ReadonlySet<string> = new Set([...FRAMING, ...OURS]);
const FRAMING_SET: ReadonlySet<string> = new Set(FRAMING.filter((name) => name !== 'content-type'));

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
// visible Latin-1, space and tab
const VALUE = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/;
const MAX_VALUE_BYTES = 8_192;

export type HeaderRule = 'header_name_invalid' | 'header_name_reserved' | 'header_value_invalid';

/** The rule that refuses a credential header, or undefined when it may be sent. An empty value is no credential. */
export function refusedCredential(name: string, value: string): HeaderRule | undefined {
  if (!TOKEN.test(name)) return 'header_name_invalid';
  const lower = name.toLowerCase();
  if (REFUSED.has(lower) || /^(?:proxy|mcp)-/.test(lower)) return 'header_name_reserved';
  return VALUE.test(value) && value.length <= MAX_VALUE_BYTES ? undefined : 'header_value_invalid';
}

/** True for names that only this module itself may put on the wire, whoever calls it. */
export function isFramingHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return FRAMING_SET.has(lower) || lower.startsWith('proxy-');
}
