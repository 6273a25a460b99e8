/**
 * Divides large JSON text that is known to be valid without parsing it: strings are skipped by a search for bytes.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** The text of each member of an object; undefined for another value. */
export function membersOf(json: Buffer): Map<string, Buffer> | undefined {
  const parts = partsOf(json, 0x7b);
  if (!parts) return undefined;
  const members = new Map<string, Buffer>();
  for (const part of parts) {
    const end = endOfString(part, part.indexOf(QUOTE));
    const value = part.subarray(part.indexOf(':', end) + 1);
    members.set(String(JSON.parse(part.subarray(0, end).toString())), value);
  }
  return members;
}

/** The text of each element of an array; undefined for another value, and for more than `most` elements. */
export function elementsOf(json: Buffer, most: number): Buffer[] | undefined {
  const parts = partsOf(json, 0x5b, most);
  return parts && parts.length <= most ? parts : undefined;
}

/** What stands between the commas of an object or array. It ends early behind `most` parts. */
function partsOf(json: Buffer, opening: number, most = Infinity): Buffer[] | undefined {
  const start = json.indexOf(opening);
  if (start < 0 || !isBlank(json, 0, start)) return undefined;
  const parts: Buffer[] = [];
  let from = start + 1;
  let depth = 0;
  for (let at = from; at < json.length && parts.length <= most; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at) - 1;
    else if (OPENING.has(byte)) depth += 1;
    else if (byte === COMMA && depth === 0) {
      parts.push(json.subarray(from, at));
      from = at + 1;
    } else if (CLOSING.has(byte)) {
      depth -= 1;
      if (depth >= 0) continue;
      if (!isBlank(json, from, at)) parts.push(json.subarray(from, at));
      return parts;
    }
  }
  return parts;
}

/** The position behind a string that begins at `start`. */
function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return json.length;
}

function isBlank(json: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1)
    if (!' \t\r\n'.includes(String.fromCharCode(json[at] ?? 0))) return false;
  return true;
}
