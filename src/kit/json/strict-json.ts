import { isUtf8 } from 'node:buffer';
import { MarketError } from '../../domain/errors';

/**
 * Parses untrusted JSON strictly (contract, "General"). Duplicate keys, integers beyond ±(2^53−1) in any spelling,
 * numbers that are not finite, invalid UTF-8, a byte order mark and more than 128 levels are refused. Everything else
 * has the meaning that `JSON.parse` gives it. A single pass checks grammar and rules without building values, then
 * `JSON.parse` builds the value, so memory is limited to the bytes, the text and the value.
 */
export const MAX_JSON_LEVELS = 128;

export interface StrictJson {
  value: unknown;
  /** Number of values in the document, on all levels; callers use it to bound validation work. */
  nodes: number;
}

interface Cursor {
  readonly text: string;
  readonly maxNodes: number;
  at: number;
  nodes: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
/** An integer with up to this many digits is always exact. */
const SAFE_DIGITS = 15;
/** Objects with more keys than this use a set to detect duplicates. */
const FEW_KEYS = 12;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

/**
 * Parses a request body. Throws `malformed_json` (400) with the problem and its offset in characters, and
 * `payload_too_large` for more than `maxNodes` values, before any of them is built.
 */
export function parseStrictJson(bytes: Buffer, maxNodes = Infinity): StrictJson {
  if (!isUtf8(bytes)) throw new MarketError('malformed_json', { message: 'The body is not valid UTF-8.' });
  return parseStrictJsonText(bytes.toString('utf8'), maxNodes);
}

/** Parses text that is already decoded; otherwise like `parseStrictJson`. */
export function parseStrictJsonText(text: string, maxNodes = Infinity): StrictJson {
  const cursor: Cursor = { text, maxNodes, at: 0, nodes: 0 };
  if (text.charCodeAt(0) === 0xfeff) fail(cursor, 'a byte order mark is not allowed');
  scanValue(cursor, 0);
  skipSpace(cursor);
  if (cursor.at < text.length) fail(cursor, 'unexpected text after the end of the document');
  return { value: JSON.parse(text) as unknown, nodes: cursor.nodes };
}

function fail(cursor: Cursor, what: string): never {
  throw new MarketError('malformed_json', {
    message: `The body is not valid JSON: ${what} (offset ${cursor.at}).`,
  });
}

function tooManyNodes({ maxNodes }: Cursor): never {
  throw new MarketError('payload_too_large', {
    message: `The body holds more than ${maxNodes} values. Send fewer values, or pack them into strings.`,
  });
}

function skipSpace(cursor: Cursor): void {
  const { text } = cursor;
  let at = cursor.at;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    at += 1;
  }
  cursor.at = at;
}

function scanValue(cursor: Cursor, level: number): void {
  skipSpace(cursor);
  cursor.nodes += 1;
  if (cursor.nodes > cursor.maxNodes) tooManyNodes(cursor);
  const code = cursor.text.charCodeAt(cursor.at);
  if (code === QUOTE) scanString(cursor);
  else if (code === OPEN_BRACE) scanObject(cursor, level + 1);
  else if (code === OPEN_BRACKET) scanArray(cursor, level + 1);
  else if (code === MINUS || (code >= ZERO && code <= NINE)) scanNumber(cursor);
  else scanWord(cursor);
}

function scanWord(cursor: Cursor): void {
  for (const word of ['true', 'false', 'null']) {
    if (cursor.text.startsWith(word, cursor.at)) {
      cursor.at += word.length;
      return;
    }
  }
  fail(
    cursor,
    cursor.at >= cursor.text.length
      ? 'the document ends where a value is expected'
      : 'a value is expected here',
  );
}

function scanNumber(cursor: Cursor): void {
  if (scanSmallInteger(cursor)) return;
  NUMBER.lastIndex = cursor.at;
  const match = NUMBER.exec(cursor.text);
  if (!match) return fail(cursor, 'this is not a number');
  const [literal, fraction, exponent] = match;
  const isPlain = fraction === undefined && exponent === undefined;
  if (!isPlain && !Number.isFinite(Number(literal))) fail(cursor, 'the number is too large');
  if (literal.length > SAFE_DIGITS && losesDigits(literal)) {
    fail(cursor, 'integers beyond ±(2^53−1) lose precision; send the number as a string');
  }
  cursor.at += literal.length;
}

/**
 * Whether a literal is an integer beyond ±(2^53−1) that is written to its last digit, in whatever spelling (`…993`,
 * `…993.0`, `…9930e-1`), or one whose digits a double does not keep. `6.02e23` and `1e300` keep theirs.
 */
function losesDigits(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false;
  if (!/[eE]/.test(literal)) return true;
  const written = decimalOf(literal);
  if (written.exponent < 0) return false;
  return written.exponent === 0 || written.digits !== decimalOf(String(value)).digits;
}

/** The significant digits of a literal, without zeros around them, and the power of ten of the last one. */
function decimalOf(literal: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = `${whole}${fraction}`;
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end -= 1;
  const exponent = Number(power) - fraction.length + (all.length - end);
  return { digits: all.slice(0, end).replace(/^0+/, ''), exponent };
}

/** Fast path without a regular expression: a short integer without fraction or exponent. */
function scanSmallInteger(cursor: Cursor): boolean {
  const { text } = cursor;
  const first = text.charCodeAt(cursor.at) === MINUS ? cursor.at + 1 : cursor.at;
  let at = first;
  let code = text.charCodeAt(at);
  while (code >= ZERO && code <= NINE) code = text.charCodeAt(++at);
  const digits = at - first;
  if (digits === 0 || digits > SAFE_DIGITS || code === DOT || code === LOWER_E || code === UPPER_E)
    return false;
  if (digits > 1 && text.charCodeAt(first) === ZERO) return false;
  cursor.at = at;
  return true;
}

/** Moves past the closing quote. Returns true when the string contains an escape. */
function scanString(cursor: Cursor): boolean {
  const { text } = cursor;
  let at = cursor.at + 1;
  let escaped = false;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) {
      escaped = true;
      cursor.at = at;
      at += escapeLength(cursor);
    } else if (code >= 0x20) {
      at += 1;
    } else {
      cursor.at = at;
      fail(cursor, at >= text.length ? 'a string is not terminated' : 'a control character must be escaped');
    }
  }
  cursor.at = at + 1;
  return escaped;
}

function escapeLength(cursor: Cursor): number {
  const letter = cursor.text[cursor.at + 1];
  if (letter === 'u') {
    HEX4.lastIndex = cursor.at + 2;
    if (HEX4.test(cursor.text)) return 6;
  } else if (letter !== undefined && '"\\/bfnrt'.includes(letter)) {
    return 2;
  }
  return fail(cursor, 'this escape sequence is not valid');
}

function enter(cursor: Cursor, level: number): void {
  if (level > MAX_JSON_LEVELS) fail(cursor, `more than ${MAX_JSON_LEVELS} levels of nesting`);
  cursor.at += 1;
  skipSpace(cursor);
}

function scanArray(cursor: Cursor, level: number): void {
  enter(cursor, level);
  if (consume(cursor, CLOSE_BRACKET)) return;
  for (;;) {
    scanValue(cursor, level);
    skipSpace(cursor);
    if (consume(cursor, CLOSE_BRACKET)) return;
    if (!consume(cursor, COMMA)) fail(cursor, 'a comma or ] is expected here');
  }
}

function scanObject(cursor: Cursor, level: number): void {
  enter(cursor, level);
  if (consume(cursor, CLOSE_BRACE)) return;
  const keys = keyRegister();
  for (;;) {
    skipSpace(cursor);
    scanKey(cursor, keys);
    skipSpace(cursor);
    if (!consume(cursor, COLON)) fail(cursor, 'a colon is expected here');
    scanValue(cursor, level);
    skipSpace(cursor);
    if (consume(cursor, CLOSE_BRACE)) return;
    if (!consume(cursor, COMMA)) fail(cursor, 'a comma or } is expected here');
  }
}

function scanKey(cursor: Cursor, isNew: (key: string) => boolean): void {
  const start = cursor.at;
  if (cursor.text.charCodeAt(start) !== QUOTE) fail(cursor, 'a key in double quotes is expected here');
  const escaped = scanString(cursor);
  const key = escaped
    ? (JSON.parse(cursor.text.slice(start, cursor.at)) as string)
    : cursor.text.slice(start + 1, cursor.at - 1);
  if (isNew(key)) return;
  cursor.at = start;
  fail(cursor, `the key ${JSON.stringify(key.slice(0, 60))} appears twice`);
}

/** Records the keys of one object. The returned function is false for a key that it has already seen. */
function keyRegister(): (key: string) => boolean {
  const few: string[] = [];
  let many: Set<string> | undefined;
  return (key) => {
    if (many) return many.size < many.add(key).size;
    if (few.includes(key)) return false;
    few.push(key);
    if (few.length > FEW_KEYS) many = new Set(few);
    return true;
  };
}

function consume(cursor: Cursor, code: number): boolean {
  if (cursor.text.charCodeAt(cursor.at) !== code) return false;
  cursor.at += 1;
  return true;
}
