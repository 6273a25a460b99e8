/**
 * Bytes as they read, whatever they are written in: JSON escapes (also of JSON inside JSON), percent-encoding, HTML
 * entities and UTF-16 become the bytes that they stand for; letters are lower-cased, and the signs that the alphabets
 * of base64 and of forms exchange (`+`, `-` and space; `/` and `_`) become one. Two texts that fold to the same bytes
 * say the same; folding is linear in the length, whatever the bytes are.
 */

/** What stands at a place of the bytes: nothing, one byte or a few, and where the next thing stands. */
interface Unit {
  bytes: readonly number[];
  next: number;
}

/** The longest escape that is looked for; a longer one is read as plain bytes. */
const MAX_ESCAPE_BYTES = 48;
const MAX_BACKSLASHES = 15;
const MAX_NESTED_ESCAPES = 4;
const MAX_ENTITY_BYTES = 10;

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const LOWER_U = 0x75;
const LOWER_X = 0x78;
const OPEN_ESCAPE =
  /^(?:\\+(?:u[0-9a-f]{0,3})?|%(?:25){0,4}[0-9a-f]?|&(?:amp;){0,4}(?:a|am|amp|#?[0-9a-z]{0,10}))$/i;
const ENTITIES: Readonly<Record<string, number>> = { quot: 0x22, apos: 0x27, lt: 0x3c, gt: 0x3e };
const AMP = [0x61, 0x6d, 0x70, SEMICOLON];

/** Byte → its folded form. */
const FOLD = Uint8Array.from({ length: 256 }, (_none, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 32;
  if (byte === 0x2d || byte === 0x20) return 0x2b;
  return byte === 0x5f ? 0x2f : byte;
});

/**
 * Tells `emit` each folded byte of `raw` with the range of bytes that it stands for. Returns where it stopped: before
 * an escape whose end is still to come, or at the end; with `isLast`, always at the end.
 */
export function foldBytes(
  raw: Buffer,
  isLast: boolean,
  emit: (byte: number, from: number, to: number) => void,
): number {
  let at = 0;
  while (at < raw.length) {
    const byte = raw[at] ?? 0;
    if (byte !== BACKSLASH && byte !== PERCENT && byte !== AMPERSAND) {
      if (byte !== 0) emit(FOLD[byte] ?? 0, at, at + 1);
      at += 1;
      continue;
    }
    if (!isLast && raw.length - at < MAX_ESCAPE_BYTES && mayGoOn(raw, at)) return at;
    const unit = readEscape(raw, at, byte);
    for (const folded of unit.bytes) emit(FOLD[folded] ?? 0, at, unit.next);
    at = unit.next;
  }
  return at;
}

/** The folded form of one byte that is no part of an escape. */
export function foldByte(byte: number): number {
  return FOLD[byte] ?? 0;
}

/** All folded bytes of a finished text. */
export function folded(raw: Buffer): Buffer {
  const bytes: number[] = [];
  foldBytes(raw, true, (byte) => bytes.push(byte));
  return Buffer.from(bytes);
}

/** Where the escape ends that these bytes begin with. */
export function endOfEscape(raw: Buffer): number {
  return readEscape(raw, 0, raw[0] ?? 0).next;
}

/** True when the bytes from `at` to the end could be the beginning of an escape. */
function mayGoOn(raw: Buffer, at: number): boolean {
  return OPEN_ESCAPE.test(raw.toString('latin1', at));
}

function readEscape(raw: Buffer, at: number, byte: number): Unit {
  if (byte === PERCENT) return readPercent(raw, at);
  return byte === AMPERSAND ? readEntity(raw, at) : readBackslashes(raw, at);
}

/** A run of backslashes, whatever its length: JSON inside JSON doubles them. */
function readBackslashes(raw: Buffer, at: number): Unit {
  let next = at;
  while (raw[next] === BACKSLASH && next - at < MAX_BACKSLASHES) next += 1;
  const after = raw[next];
  if (after === LOWER_U) {
    const code = readNumber(raw, next + 1, next + 5, 16);
    if (code !== undefined) return { bytes: utf8Of(code), next: next + 5 };
  }
  if (after === 0x22 || after === 0x27 || after === 0x2f) return { bytes: [after], next: next + 1 };
  return { bytes: [BACKSLASH], next };
}

/** `%41`, and `%2541` of what was encoded twice. */
function readPercent(raw: Buffer, at: number): Unit {
  let digits = at + 1;
  for (let depth = 0; depth < MAX_NESTED_ESCAPES; depth += 1) {
    if (raw[digits] !== 0x32 || raw[digits + 1] !== 0x35) break;
    if (readNumber(raw, digits + 2, digits + 4, 16) === undefined) break;
    digits += 2;
  }
  const code = readNumber(raw, digits, digits + 2, 16);
  return code === undefined
    ? { bytes: [PERCENT], next: at + 1 }
    : { bytes: code === 0 ? [] : [code], next: digits + 2 };
}

/** `&quot;`, `&#34;`, `&#x22;`, and `&amp;quot;` of what was encoded twice. */
function readEntity(raw: Buffer, at: number): Unit {
  let name = at + 1;
  for (let depth = 0; depth < MAX_NESTED_ESCAPES; depth += 1) {
    if (!AMP.every((sign, index) => raw[name + index] === sign)) break;
    name += AMP.length;
  }
  const plain = { bytes: [AMPERSAND], next: name };
  const end = raw.subarray(name, name + MAX_ENTITY_BYTES).indexOf(SEMICOLON);
  if (end < 0) return plain;
  const code = codeOfEntity(raw, name, name + end);
  return code === undefined ? plain : { bytes: utf8Of(code), next: name + end + 1 };
}

function codeOfEntity(raw: Buffer, from: number, end: number): number | undefined {
  if (raw[from] !== HASH) return ENTITIES[raw.toString('latin1', from, end)];
  const isHex = ((raw[from + 1] ?? 0) | 0x20) === LOWER_X;
  return isHex ? readNumber(raw, from + 2, end, 16) : readNumber(raw, from + 1, end, 10);
}

/** The number that these bytes spell in digits only; undefined when they do not. */
function readNumber(raw: Buffer, from: number, to: number, base: 10 | 16): number | undefined {
  if (to > raw.length || to <= from) return undefined;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = digitOf(raw[at] ?? 0);
    if (digit >= base) return undefined;
    value = value * base + digit;
  }
  return value;
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : 99;
}

function utf8Of(code: number): readonly number[] {
  if (code === 0) return [];
  if (code < 0x80) return [code];
  return [...Buffer.from(String.fromCodePoint(Math.min(code, 0x10ffff)))];
}
