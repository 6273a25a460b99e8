/**
 * Finding a secret in what a stranger sends back, and putting a mask in its place: the secret itself, and its base64,
 * hexadecimal, percent-encoded, JSON-escaped and HTML-escaped forms, in text or bytes of any kind, also when a stream
 * cuts it in two. Whatever of it could still be the beginning of the secret is held back until it is known.
 * It protects from echoes, not from an agent that wants its own credential to be known.
 */
import { folded, foldBytes } from './folding';

/** What stands in the place of a secret; shorter secrets become as many asterisks as they have bytes. */
export const MASK = '[redacted]';

/** Shorter ones are found by chance everywhere, and keep nothing secret. */
const MIN_SECRET_BYTES = 4;
/** Shorter ones count only as words of their own. */
const MIN_INSIDE_BYTES = 8;
const MAX_PARTS = 8;
/** `Bearer x`, `Token x`: the scheme is no secret, and an agent may echo the rest without it. */
const SCHEME = /^(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|oauth)[ \t]+(.+)$/i;

/** One form of a secret, folded, with the table that a search without going back needs. */
interface Needle {
  bytes: Buffer;
  /** Per count of matched bytes: the longest shorter count that matches as well. */
  fallback: Int32Array;
  /** Only as a word of its own. */
  isWord: boolean;
}

/** Puts masks into a stream of bytes; what it gives out may lag behind what it was given. */
export interface Masker {
  push(bytes: Buffer): Buffer;
  /** The rest; nothing may be pushed after it. */
  end(): Buffer;
}

export interface Secret {
  /** `onFound` is called each time that the secret was found. */
  masker(onFound?: () => void): Masker;
  mask(text: string): string;
  mask(bytes: Buffer): Buffer;
}

interface Range {
  from: number;
  to: number;
}

/**
 * `value`: of a header, such as `Bearer abc…`. Known besides it: what follows the scheme, the password of `Basic`, and
 * the values of parameters (`a=b; c=d`).
 */
export function createSecret(value: string): Secret {
  let needles: Needle[] | undefined;
  const masker = (onFound: () => void = () => undefined) => {
    needles ??= secretsOf(value).flatMap(needlesOf);
    return createMasker(needles, onFound);
  };
  function mask(text: string): string;
  function mask(bytes: Buffer): Buffer;
  function mask(input: string | Buffer): string | Buffer {
    const one = masker();
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    const whole = Buffer.concat([one.push(bytes), one.end()]);
    return typeof input === 'string' ? whole.toString() : whole;
  }
  return { masker, mask };
}

function secretsOf(header: string): string[] {
  const value = header.trim();
  const credentials = SCHEME.exec(value)?.[1];
  const secrets = new Set([credentials ?? value]);
  if (/^basic /i.test(value)) {
    const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials ?? '', 'base64').toString()) ?? [];
    if (password) secrets.add(password);
  }
  const parts = value.split(/[;,&]/).map((part) => /=\s*"?([^"]*)"?\s*$/.exec(part)?.[1] ?? '');
  for (const part of parts.slice(0, MAX_PARTS)) {
    if (part.length >= MIN_INSIDE_BYTES) secrets.add(part);
  }
  return [...secrets];
}

function needlesOf(secret: string): Needle[] {
  const encodings = new Map<string, Buffer>();
  for (const text of [secret, secret.replaceAll('\t', '\\t')]) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const bytes = Buffer.from(text, encoding);
      if (bytes.length >= MIN_SECRET_BYTES) encodings.set(bytes.toString('hex'), bytes);
    }
  }
  const forms = [...encodings.values()].flatMap((bytes) => [bytes, ...encodedForms(bytes)]);
  return forms.map(toNeedle).filter(({ bytes }) => bytes.length >= MIN_SECRET_BYTES);
}

/** Hexadecimal, and base64 as it looks at each of the three places where the secret may begin in what was encoded. */
function encodedForms(bytes: Buffer): Buffer[] {
  const hex = Buffer.from(bytes.toString('hex'));
  const places = bytes.length < MIN_INSIDE_BYTES ? [0] : [0, 1, 2];
  const base64 = places.map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const known = Math.floor(((shift + bytes.length) * 8) / 6);
    return Buffer.from(text.slice(Math.ceil((shift * 8) / 6), known));
  });
  return [hex, ...base64];
}

function toNeedle(form: Buffer): Needle {
  // JSON escapes a backslash before a quote alike, so one at the end cannot be told from the end of the text
  let bytes = folded(form);
  while (bytes.at(-1) === 0x5c) bytes = bytes.subarray(0, -1);
  const fallback = new Int32Array(bytes.length + 1);
  let matched = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    while (matched > 0 && bytes[at] !== bytes[matched]) matched = fallback[matched] ?? 0;
    if (bytes[at] === bytes[matched]) matched += 1;
    fallback[at + 1] = matched;
  }
  return { bytes, fallback, isWord: bytes.length < MIN_INSIDE_BYTES };
}

function createMasker(needles: readonly Needle[], onFound: () => void): Masker {
  const search = createSearch(needles);
  const output = createOutput(onFound);
  /** Read bytes so far, without those of an escape that is not complete. */
  let read = 0;
  let unread: Buffer = Buffer.alloc(0);

  function take(bytes: Buffer, isLast: boolean): Buffer {
    const raw = unread.length > 0 ? Buffer.concat([unread, bytes]) : bytes;
    const end = foldBytes(raw, isLast, (byte, from, to) => {
      const found = search.step(byte, read + from, read + to);
      if (found.length > 0) found.forEach(output.found);
    });
    output.add(raw.subarray(0, end));
    read += end;
    unread = raw.subarray(end);
    if (isLast) search.finish().forEach(output.found);
    return output.take(isLast ? read : Math.min(read, search.openFrom()));
  }

  return { push: (bytes) => take(bytes, false), end: () => take(Buffer.alloc(0), true) };
}

const NOTHING: readonly Range[] = [];

/** Searches a stream for all needles at once, byte by byte, without ever going back. */
function createSearch(needles: readonly Needle[]) {
  const size = Math.max(1, ...needles.map(({ bytes }) => bytes.length)) + 1;
  /** Of the last folded bytes, in a ring: where they stand in the stream, and what came before each. */
  const starts = new Float64Array(size);
  const befores = new Uint8Array(size);
  const matched = new Int32Array(needles.length);
  const begins = new Uint8Array(256);
  for (const { bytes } of needles) begins[bytes[0] ?? 0] = 1;
  let position = 0;
  let before = 0;
  let isIdle = true;
  /** Words that were found and whose next byte is still to come. */
  let words: readonly Range[] = NOTHING;

  const placeOf = (count: number) => (position - count + size) % size;

  /** Advances one needle by a byte; true when it matches to its end. */
  function advance({ bytes, fallback }: Needle, index: number, byte: number): boolean {
    let count = matched[index] ?? 0;
    if (count === bytes.length) count = fallback[count] ?? 0;
    while (count > 0 && bytes[count] !== byte) count = fallback[count] ?? 0;
    if (bytes[count] === byte) count += 1;
    matched[index] = count;
    if (count > 0) isIdle = false;
    return count === bytes.length;
  }

  return {
    /** The parts of the stream that have turned out to be the secret. */
    step(byte: number, from: number, to: number): readonly Range[] {
      const previous = before;
      before = byte;
      let found = words.length > 0 && !isWordByte(byte) ? words : NOTHING;
      words = NOTHING;
      if (isIdle && begins[byte] === 0) return found;
      starts[position] = from;
      befores[position] = previous;
      position = (position + 1) % size;
      isIdle = true;
      for (const [index, needle] of needles.entries()) {
        if (!advance(needle, index, byte)) continue;
        const place = placeOf(needle.bytes.length);
        const range = { from: starts[place] ?? 0, to };
        if (!needle.isWord) found = [...found, range];
        else if (!isWordByte(befores[place] ?? 0)) words = [...words, range];
      }
      return found;
    },

    /** Words at the very end of the stream. */
    finish: () => words,

    /** From where on the stream may still turn out to be the secret. */
    openFrom(): number {
      let least = words.reduce((from, word) => Math.min(from, word.from), Infinity);
      for (const [index, { bytes, fallback }] of needles.entries()) {
        const count = matched[index] ?? 0;
        const open = count === bytes.length ? (fallback[count] ?? 0) : count;
        if (open > 0) least = Math.min(least, starts[placeOf(open)] ?? 0);
      }
      return least;
    },
  };
}

function isWordByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80;
}

/** Bytes on their way out, and which of them are not to be seen. */
function createOutput(onFound: () => void) {
  let waiting: Buffer[] = [];
  /** Where the first waiting byte stands in the stream. */
  let at = 0;
  let ranges: Range[] = [];

  /** The waiting bytes before `to`, taken away. */
  function cut(to: number): Buffer[] {
    const taken: Buffer[] = [];
    let index = 0;
    for (; at < to && index < waiting.length; index += 1) {
      const buffer = waiting[index] ?? Buffer.alloc(0);
      if (at + buffer.length > to) {
        taken.push(buffer.subarray(0, to - at));
        waiting[index] = buffer.subarray(to - at);
        at = to;
        break;
      }
      taken.push(buffer);
      at += buffer.length;
    }
    waiting = index > 0 ? waiting.slice(index) : waiting;
    return taken;
  }

  return {
    add: (bytes: Buffer) => void (bytes.length > 0 && waiting.push(bytes)),

    /** Ranges come in the order of their ends; those that touch become one. */
    found(range: Range): void {
      let { from } = range;
      while (ranges.length > 0 && (ranges.at(-1)?.to ?? 0) >= from) from = Math.min(from, ranges.pop()?.from ?? from);
      ranges.push({ from, to: range.to });
      onFound();
    },

    /** Everything before `until`, masked; a range that reaches beyond it waits as a whole. */
    take(until: number): Buffer {
      const parts: Buffer[] = [];
      while (ranges[0] && ranges[0].to <= until) {
        const { from, to } = ranges[0];
        parts.push(...cut(from), maskOf(to - from));
        cut(to);
        ranges = ranges.slice(1);
      }
      parts.push(...cut(Math.min(until, ranges[0]?.from ?? until)));
      return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    },
  };
}

/** Never longer than what it hides, so that an answer cannot grow. */
function maskOf(length: number): Buffer {
  return Buffer.from(length < MASK.length ? '*'.repeat(length) : MASK);
}
