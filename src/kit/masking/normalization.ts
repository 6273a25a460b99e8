/**
 * Normalizes bytes independently of their encoding. JSON escapes (also nested ones), percent-encoding, HTML entities
 * and UTF-16 are decoded; letters are lower-cased; and the characters that base64 and form alphabets exchange (`+`,
 * `-` and space; `/` and `_`) are unified. Texts with equal meaning therefore normalize to the same bytes. The cost
 * is linear in the length for every input.
 */

/** The decoded bytes of one escape (possibly none), and the position after it. */
interface Unit {
  bytes: readonly number[];
  next: number;
}

/** Maximum length of an escape; a longer one is treated as plain bytes. */
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

/** Byte → its normalized form. */
const NORMAL_FORM = Uint8Array.from({ length: 256 }, (_none, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 32;
  if (byte === 0x2d || byte === 0x20) return 0x2b;
  return byte === 0x5f ? 0x2f : byte;
});

/** Receives a normalized byte, the range of raw bytes that it represents, and the byte before its normalization. */
export type Emit = (byte: number, from: number, to: number, written: number) => void;

/**
 * Calls `emit` for each normalized byte of `raw`. Returns the
 * position at which it stopped: before an incomplete escape, or at the end. With `isLast`, it always processes
 * everything.
 */
export function normalizeBytes(raw: Buffer, isLast: boolean, emit: Emit): number {
  let at = 0;
  while (at < raw.length) {
    const byte = raw[at] ?? 0;
    if (byte !== BACKSLASH && byte !== PERCENT && byte !== AMPERSAND) {
      if (byte !== 0) emit(NORMAL_FORM[byte] ?? 0, at, at + 1, byte);
      at += 1;
      continue;
    }
    if (!isLast && raw.length - at < MAX_ESCAPE_BYTES && mayGoOn(raw, at)) return at;
    const unit = readEscape(raw, at, byte);
    for (const decoded of unit.bytes) emit(NORMAL_FORM[decoded] ?? 0, at, unit.next, decoded);
    at = unit.next;
  }
  return at;
}

/** Normalizes one byte that is not part of an escape. */
export function normalizeByte(byte: number): number {
  return NORMAL_FORM[byte] ?? 0;
}

/** Normalizes a complete text. */
export function normalized(raw: Buffer): Buffer {
  const bytes: number[] = [];
  normalizeBytes(raw, true, (byte) => bytes.push(byte));
  return Buffer.from(bytes);
}

/** Length of the escape with which these bytes start. */
export function endOfEscape(raw: Buffer): number {
  return readEscape(raw, 0, raw[0] ?? 0).next;
}

/** True when the bytes from `at` to the end may be an incomplete escape. */
function mayGoOn(raw: Buffer, at: number): boolean {
  return OPEN_ESCAPE.test(raw.toString('latin1', at));
}

function readEscape(raw: Buffer, at: number, byte: number): Unit {
  if (byte === PERCENT) return readPercent(raw, at);
  return byte === AMPERSAND ? readEntity(raw, at) : readBackslashes(raw, at);
}

/** Reads a run of backslashes of any length, because nested JSON doubles them. */
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

/** Reads `%41`, and `%2541` in text that was encoded twice. */
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

/** Reads `&quot;`, `&#34;`, `&#x22;`, and `&amp;quot;` in text that was encoded twice. */
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

/** Parses digits only; returns undefined when another byte occurs. */
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
