/**
 * Parsed JSON without a schema: its shape, and whether Postgres can store it. `text` and `jsonb` columns hold no NUL
 * character, and no lone surrogate (half of a UTF-16 pair).
 */

/** True for a JSON object; false for null and arrays. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a JSON object, else an empty object. */
export function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** True for text that Postgres can store. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The text with U+FFFD in place of each character that Postgres cannot store. */
export function toStorable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}

/** True for a JSON value whose strings and member names Postgres can store. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorableJson);
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorableJson(member));
}
