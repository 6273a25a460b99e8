import { createHash } from 'node:crypto';

/**
 * Encodes an opaque list cursor: the position at which a page ended, and a fingerprint of its query. It contains only
 * values that the client has seen, so it is validated but not signed.
 */
export function encodeCursor(scope: string, position: readonly string[]): string {
  return Buffer.from(JSON.stringify([fingerprint(scope), ...position])).toString('base64url');
}

/**
 * Decodes a cursor. Returns undefined when it is malformed, belongs to another query, or a part does not match its
 * pattern.
 */
export function decodeCursor(
  scope: string,
  cursor: string,
  patterns: readonly RegExp[],
): string[] | undefined {
  const decoded = partsOf(cursor);
  if (decoded?.length !== patterns.length + 1) return undefined;
  const [owner, ...position] = decoded;
  if (owner !== fingerprint(scope)) return undefined;
  const isValid = position.every((part, index) => typeof part === 'string' && patterns[index]?.test(part));
  return isValid ? (position as string[]) : undefined;
}

/** Whether the text is a cursor of some list. */
export function isCursor(text: string): boolean {
  return partsOf(text) !== undefined;
}

function partsOf(cursor: string): unknown[] | undefined {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function fingerprint(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 8);
}
