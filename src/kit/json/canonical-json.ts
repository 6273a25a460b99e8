import { hash } from 'node:crypto';

/**
 * Serializes a value by RFC 8785 (JCS): members sorted by UTF-16 code units, no white space, numbers and strings as
 * ECMAScript writes them. `JSON.stringify` already writes numbers and strings that way; this function adds the order
 * of members.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Record<string, unknown>;
  const members: string[] = [];
  for (const name of Object.keys(record).sort()) {
    const member = record[name];
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** SHA-256 as lower-case hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}
