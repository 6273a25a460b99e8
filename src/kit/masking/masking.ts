/**
 * Finds a secret in untrusted responses and replaces it with a mask. It finds the secret and its base64, hexadecimal,
 * percent-encoded, JSON-escaped and HTML-escaped forms, in text or binary data, even when a stream splits it. Bytes
 * that could start the secret are held back until the match is decided. Masking protects against accidental echoes,
 * not against an agent that discloses its own credential deliberately.
 */
import { endOfEscape, normalizeByte, normalized, normalizeBytes } from './normalization';
import { createSearch, MIN_INSIDE_BYTES, type Needle, type Range, toNeedle } from './masking-search';

/** Replacement for a secret. A secret that is shorter than the mask becomes asterisks of the same length. */
export const MASK = '[redacted]';

/** Shorter values occur by chance in any text and are not masked. */
const MIN_SECRET_BYTES = 4;
const MAX_PARTS = 8;
/** `Bearer x`, `Token x`: the scheme is not secret, and an agent may echo the value without it. */
const SCHEME = /^(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|oauth)[ \t]+(.+)$/i;

/** Masks a byte stream. Output can lag behind input. */
export interface Masker {
  push(bytes: Buffer): Buffer;
  /** Returns the remaining bytes. No `push` may follow. */
  end(): Buffer;
}

export interface Secret {
  /** Creates a masker for a stream. `onFound` is called once, at the first match. */
  masker(onFound?: () => unknown): Masker;
  mask(text: string): string;
  mask(bytes: Buffer): Buffer;
}

/**
 * Creates a masker for a header value, such as `Bearer abc…`. It also masks the value without its scheme, the
 * password of `Basic` credentials, and the values of parameters (`a=b; c=d`).
 */
export function createSecret(value: string): Secret {
  let needles: Needles | undefined;
  const masker = (onFound: () => unknown = () => undefined) => {
    needles ??= needlesOf(secretsOf(value).flatMap(textsOf));
    return createMasker(needles, onFound);
  };
  function mask(text: string): string;
  function mask(bytes: Buffer): Buffer;
  function mask(input: string | Buffer): string | Buffer {
    let isFound = false;
    const one = masker(() => (isFound = true));
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    const whole = Buffer.concat([one.push(bytes), one.end()]);
    if (!isFound) return input;
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

/**
 * Search forms of a secret. `plain` is matched against the raw bytes, `normalized` against decoded escapes. Both are
 * needed: a `%` before a secret that starts with `41` is not an escape.
 */
interface Needles {
  plain: Needle[];
  normalized: Needle[];
}

/** Incomplete escapes that can absorb the first characters of a secret that follows them. */
const OPEN_ESCAPES = ['%', '%2', '%4', '\\u', '\\u0', '\\u00', '\\u004'].map((text) => Buffer.from(text));

function needlesOf(texts: readonly Buffer[]): Needles {
  const isLongEnough = ({ bytes }: Needle) => bytes.length >= MIN_SECRET_BYTES;
  const asItStands = (form: Buffer) => Buffer.from(form.map(normalizeByte));
  const plain = texts.flatMap((bytes) => [bytes, ...encodedForms(bytes)]);
  const forms = [...plain, ...texts.flatMap(restsOf)];
  const changed = forms
    .map(normalized)
    .filter((form, index) => !asItStands(forms[index] ?? form).equals(form));
  return {
    plain: plain.map(asItStands).map(toNeedle).filter(isLongEnough),
    // Includes the raw forms: a secret that looks like one kind of escape can be written in another kind.
    normalized: [...forms.map(asItStands), ...changed].map(toNeedle).filter(isLongEnough),
  };
}

/** The parts of a secret that remain when an escape before it absorbs its first characters. */
function restsOf(text: Buffer): Buffer[] {
  const taken = OPEN_ESCAPES.map((open) => endOfEscape(Buffer.concat([open, text])) - open.length);
  return [...new Set(taken)]
    .filter((count) => count > 0 && text.length - count >= MIN_INSIDE_BYTES)
    .map((count) => text.subarray(count));
}

function textsOf(secret: string): Buffer[] {
  const encodings = new Map<string, Buffer>();
  for (const text of [secret, secret.replaceAll('\t', '\\t')]) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const bytes = Buffer.from(text, encoding);
      if (bytes.length >= MIN_SECRET_BYTES) encodings.set(bytes.toString('hex'), bytes);
    }
  }
  return [...encodings.values()];
}

/** Hexadecimal, and base64 for each of the three alignments that the secret can have in encoded data. */
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

function createMasker(needles: Needles, onFound: () => unknown): Masker {
  const plain = createSearch(needles.plain);
  const search = createSearch(needles.normalized);
  const output = createOutput(onFound);
  /** Bytes processed so far, not counting an incomplete escape at the end. */
  let read = 0;
  let unread: Buffer = Buffer.alloc(0);

  function take(bytes: Buffer, isLast: boolean): Buffer {
    const raw = unread.length > 0 ? Buffer.concat([unread, bytes]) : bytes;
    const found: Range[] = [];
    const end = normalizeBytes(raw, isLast, (byte, from, to) => {
      const ranges = search.step(byte, read + from, read + to);
      if (ranges.length > 0) found.push(...ranges);
    });
    for (let at = 0; at < end; at += 1) {
      const ranges = plain.step(normalizeByte(raw[at] ?? 0), read + at, read + at + 1);
      if (ranges.length > 0) found.push(...ranges);
    }
    if (isLast) found.push(...search.finish(), ...plain.finish());
    found.sort((one, other) => one.to - other.to).forEach(output.found);
    output.add(raw.subarray(0, end));
    read += end;
    unread = raw.subarray(end);
    return output.take(isLast ? read : Math.min(read, search.openFrom(), plain.openFrom()));
  }

  return { push: (bytes) => take(bytes, false), end: () => take(Buffer.alloc(0), true) };
}

/** Buffers output bytes and the ranges in them that must be masked. */
function createOutput(onFound: () => unknown) {
  let isFound = false;
  let waiting: Buffer[] = [];
  /** Stream position of the first buffered byte. */
  let at = 0;
  let ranges: Range[] = [];

  /** Removes and returns the buffered bytes before `to`. */
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

    /** Adds a match. Matches arrive in the order of their ends; overlapping and adjacent ones are merged. */
    found(range: Range): void {
      let { from, to } = range;
      for (let last = ranges.at(-1); last && last.to >= from; last = ranges.at(-1)) {
        [from, to] = [Math.min(from, last.from), Math.max(to, last.to)];
        ranges.pop();
      }
      ranges.push({ from, to });
      if (!isFound) onFound();
      isFound = true;
    },

    /** Returns everything before `until`, masked. A match that extends beyond it is held back entirely. */
    take(until: number): Buffer {
      const parts: Buffer[] = [];
      let done = 0;
      for (let range = ranges[0]; range && range.to <= until; range = ranges[done]) {
        parts.push(...cut(range.from), maskOf(range.to - range.from));
        cut(range.to);
        done += 1;
      }
      if (done > 0) ranges = ranges.slice(done);
      parts.push(...cut(Math.min(until, ranges[0]?.from ?? until)));
      return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    },
  };
}

/** The mask is never longer than the secret, so that a response cannot grow. */
function maskOf(length: number): Buffer {
  return Buffer.from(length < MASK.length ? '*'.repeat(length) : MASK);
}
