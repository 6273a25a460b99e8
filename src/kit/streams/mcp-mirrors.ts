/**
 * Compares HTTP headers with the MCP tool arguments that they must repeat (`x-mcp-header` in the tool's input schema,
 * revision 2026-07-28). Proxies route by the header and the service by the body, so both must agree. Pure. Untrusted
 * schemas are searched to a bounded depth, and references are not followed.
 */
import { asRecord, isRecord } from '../../domain/json-value';

/** An argument, and the header that must repeat it. */
export interface HeaderMirror {
  /** Property names from the arguments object down. */
  path: readonly string[];
  /** Lower-case header name: `mcp-param-<name>`. */
  header: string;
  isInteger: boolean;
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);
const MAX_LEVELS = 128;
/** Keywords with schemas other than `properties`. An annotation in them makes the tool's definition invalid. */
const LISTS_AND_SCHEMAS = [
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];
const MAPS_OF_SCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const SENTINEL = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PLAIN = /^[\x20-\x7e\t]*$/;
/** Headers are shorter in all. */
const MAX_VALUE_LENGTH = 16 * 1024;
const MAX_SHORT_VALUES = 5_000;

/** The mirrored headers of a tool; empty when an annotation is invalid, because MCP clients then hide the tool. */
export function mirrorsOf(inputSchema: unknown): HeaderMirror[] {
  const mirrors: HeaderMirror[] = [];
  const isValid = visit(inputSchema, [], true, mirrors);
  const names = new Set(mirrors.map(({ header }) => header));
  return isValid && names.size === mirrors.length ? mirrors : [];
}

function visit(node: unknown, path: string[], isReachable: boolean, mirrors: HeaderMirror[]): boolean {
  if (typeof node !== 'object' || node === null || path.length > MAX_LEVELS) return true;
  const schema = node as Record<string, unknown>;
  if (Object.hasOwn(schema, ANNOTATION) && !add(schema, path, isReachable, mirrors)) return false;
  for (const [name, child] of entriesOf(schema.properties)) {
    if (!visit(child, [...path, name], isReachable, mirrors)) return false;
  }
  const elsewhere = [
    ...LISTS_AND_SCHEMAS.flatMap((keyword) => schema[keyword] ?? []),
    ...MAPS_OF_SCHEMAS.flatMap((keyword) => entriesOf(schema[keyword]).map(([, child]) => child)),
  ];
  return elsewhere.every((child) => visit(child, [...path, ''], false, mirrors));
}

function add(
  schema: Record<string, unknown>,
  path: string[],
  isReachable: boolean,
  mirrors: HeaderMirror[],
): boolean {
  const name = schema[ANNOTATION];
  if (!isReachable || path.length === 0 || typeof name !== 'string' || !TOKEN.test(name)) return false;
  if (!TYPES.has(schema.type)) return false;
  mirrors.push({ path, header: `mcp-param-${name.toLowerCase()}`, isInteger: schema.type === 'integer' });
  return true;
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(asRecord(value));
}

/**
 * Describes the first header that does not repeat its argument; undefined when all do. Arguments that are absent or
 * null require no header, and such a header is ignored.
 */
export function mirrorProblem(
  mirrors: readonly HeaderMirror[],
  args: Record<string, unknown>,
  header: (name: string) => string | undefined,
): string | undefined {
  for (const mirror of mirrors) {
    const value = valueAt(args, mirror.path);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const sent = header(mirror.header);
    const place = mirror.path.join('.');
    if (sent === undefined) return `${mirror.header} is missing, but ${place} has a value`;
    const decoded = decodeMcpHeader(sent);
    if (decoded === undefined) return `${mirror.header} is not correctly encoded`;
    if (!isSame(decoded, value, mirror.isInteger))
      return `${mirror.header} does not repeat the value of ${place}`;
  }
  return undefined;
}

function isSame(sent: string, value: string | number | boolean, isInteger: boolean): boolean {
  if (isInteger && typeof value === 'number') return sent.trim() !== '' && Number(sent) === value;
  return sent === String(value);
}

function valueAt(args: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/**
 * Decodes an `Mcp-Name` or `Mcp-Param-…` header (`=?base64?…?=` is UTF-8 in Base64). Returns undefined when
 * malformed.
 */
export function decodeMcpHeader(value: string): string | undefined {
  const encoded = SENTINEL.exec(value)?.[1];
  if (encoded === undefined) return PLAIN.test(value) ? value : undefined;
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

/** The arguments that headers can repeat: short values and the objects around them. */
export function shortArguments(args: Record<string, unknown>): Record<string, unknown> {
  let left = MAX_SHORT_VALUES;
  const copy = (value: Record<string, unknown>): Record<string, unknown> => {
    const members = Object.entries(value).filter(([, member]) => isRecord(member) || isShort(member));
    const kept = members.slice(0, Math.max(0, left));
    left -= kept.length;
    return Object.fromEntries(kept.map(([key, member]) => [key, isRecord(member) ? copy(member) : member]));
  };
  return copy(args);
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= MAX_VALUE_LENGTH : !Array.isArray(value);
}
