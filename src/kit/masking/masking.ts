/**
 * Finds secrets in untrusted responses and replaces them with a mask. It finds a secret and its base64, hexadecimal,
 * percent-encoded, JSON-escaped and HTML-escaped forms, in text or binary data, even when a stream splits it. Bytes
 * that could start a secret are held back until the match is decided. Masking protects against accidental echoes,
 * not against an agent that discloses its own credential deliberately.
 */
import { type Automaton, createAutomaton, MIN_INSIDE_BYTES, type Needle } from './automaton';
import { createMaskedOutput } from './masked-output';
import { createSearch, createSighting, type Range, type Search, type SearchOptions } from './masking-search';
import { endOfEscape, normalizeByte, normalized, normalizeBytes } from './normalization';
import { BoundedMap } from '../bounded-map';

/** Shorter values occur by chance in any text and are not masked. */
const MIN_SECRET_BYTES = 4;
/** Searches without some of the secrets that are kept ready. */
const MAX_KEPT = 4;

/** Masks a byte stream. Output can lag behind input. */
export interface Masker {
  push(bytes: Buffer): Buffer;
  /** Returns the remaining bytes. No `push` may follow. */
  end(): Buffer;
  /** Returns the bytes that are held back, as they came. Another masker can begin with them. No `push` may follow. */
  leave(): Buffer;
}

/** Indices of texts of a secret. */
export type Texts = ReadonlySet<number>;

export interface MaskerOptions {
  /** Texts that are not masked. */
  except?: Texts;
  /** A shorter beginning of a secret is not held back, so that fewer pieces of a stream wait; default: 1. */
  leastHeld?: number;
  /** The stream is JSON: host names and words in names of members stay. */
  isJson?: boolean;
}

export interface Secret {
  readonly texts: readonly string[];
  /**
   * Creates a masker for a stream. `onFound` is called once for each text that occurs.
   */
  masker(onFound?: (text: number) => void, options?: MaskerOptions): Masker;
  /** The texts that occur in an input, in any form. Its sender knows them already. */
  textsIn(input: Buffer): Texts;
  mask(text: string): string;
  mask(bytes: Buffer): Buffer;
}

const HOST_MARK = '\u0000';

/**
 * The text of a secret for a host name. It is masked where it stands by itself, and not in `files.<host>` or
 * `mail@<host>`, which are addresses that an answer may give.
 */
export const wholeHost = (host: string): string => HOST_MARK + host;

const NO_TEXTS: Texts = new Set();

/** Creates a secret from the texts that must not appear. The search is prepared when it is first needed. */
export function createSecret(texts: readonly string[]): Secret {
  const kept = new BoundedMap<string, Automaton>(MAX_KEPT);
  const without = (except: Texts): Automaton => {
    const key = except.size === 0 ? '' : [...except].sort((one, other) => one - other).join();
    const known = kept.get(key);
    if (known) return known;
    const automaton = automatonOf(texts, except);
    kept.set(key, automaton);
    return automaton;
  };
  const masker: Secret['masker'] = (onFound = () => undefined, { except = NO_TEXTS, ...options } = {}) =>
    createMasker(without(except), options, onFound);
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
  return { texts, masker, textsIn: (input) => textsIn(without(NO_TEXTS), input), mask };
}

function textsIn(automaton: Automaton, input: Buffer): Texts {
  const inPlain = createSighting(automaton);
  const inDecoded = createSighting(automaton);
  for (const byte of input) inPlain.step(normalizeByte(byte));
  normalizeBytes(input, true, (byte) => inDecoded.step(byte));
  return new Set([...inPlain.seen, ...inDecoded.seen]);
}

/** The bytes that stand for others, or for none: backslash, percent, ampersand, NUL. */
const ESCAPES = [0x5c, 0x25, 0x26, 0x00];

/** Incomplete escapes that can absorb the first characters of a secret that follows them. */
const OPEN_ESCAPES = ['%', '%2', '%4', '\\u', '\\u0', '\\u00', '\\u004'].map((text) => Buffer.from(text));

/**
 * The search forms of the secrets. The same automaton searches the raw bytes and those with decoded escapes. Both are
 * needed: a `%` before a secret that starts with `41` is not an escape, and a secret that looks like one kind of escape
 * can be written in another kind.
 */
function automatonOf(texts: readonly string[], except: Texts): Automaton {
  const needles: Needle[] = [];
  for (const [of, text] of texts.entries()) {
    if (except.has(of)) continue;
    if (text.startsWith(HOST_MARK)) needles.push(...hostForms(text.slice(HOST_MARK.length), of));
    else needles.push(...needlesOf(text, of));
  }
  return createAutomaton(needles);
}

/** Words of a language occur inside others by chance: as a secret, each counts where it stands by itself. */
const WORD = /^(?:[a-z]{1,23}|[A-Z][a-z]{0,22}|[A-Z]{1,23})$/;
const MAX_WORDS_LENGTH = 23;

const areWords = (text: string) =>
  text.length <= MAX_WORDS_LENGTH && text.split(/[-_. ]/).every((part) => WORD.test(part));

function needlesOf(text: string, of: number): Needle[] {
  if (!areWords(text)) return formsOf(encodingsOf(text)).map((bytes) => ({ bytes, of }));
  const bytes = Buffer.from(text);
  const encoded = encodedForms(bytes).map((form) => Buffer.from(form.map(normalizeByte)));
  return [
    { bytes: Buffer.from(bytes.map(normalizeByte)), of, only: 'word' as const },
    ...encoded.map((form) => ({ bytes: form, of })),
  ].filter((needle) => needle.bytes.length >= MIN_SECRET_BYTES);
}

function hostForms(host: string, of: number): Needle[] {
  const bytes = Buffer.from(host);
  const encoded = encodedForms(bytes).filter((form) => form.length >= MIN_INSIDE_BYTES);
  return [
    { bytes: Buffer.from(bytes.map(normalizeByte)), of, only: 'host' },
    ...encoded.map((form) => ({ bytes: Buffer.from(form.map(normalizeByte)), of })),
  ];
}

function formsOf(texts: readonly Buffer[]): Buffer[] {
  const asItStands = (form: Buffer) => Buffer.from(form.map(normalizeByte));
  const forms = texts.flatMap((bytes) => [bytes, ...encodedForms(bytes), ...restsOf(bytes)]);
  return [...forms.map(asItStands), ...forms.map(normalized)]
    .map(withoutBackslashes)
    .filter((form) => form.length >= MIN_SECRET_BYTES);
}

/** JSON escapes backslashes and quotes alike, so a final backslash cannot be distinguished from the end of a string. */
function withoutBackslashes(form: Buffer): Buffer {
  let bytes = form;
  while (bytes.at(-1) === 0x5c) bytes = bytes.subarray(0, -1);
  return bytes;
}

/** The parts of a secret that remain when an escape before it absorbs its first characters. */
function restsOf(text: Buffer): Buffer[] {
  const taken = OPEN_ESCAPES.map((open) => endOfEscape(Buffer.concat([open, text])) - open.length);
  return [...new Set(taken)]
    .filter((count) => count > 0 && text.length - count >= MIN_INSIDE_BYTES)
    .map((count) => text.subarray(count));
}

function encodingsOf(secret: string): Buffer[] {
  const encodings = new Map<string, Buffer>();
  for (const text of [secret, secret.replaceAll('\t', '\\t')]) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const bytes = Buffer.from(text, encoding);
      if (bytes.length >= MIN_SECRET_BYTES) encodings.set(bytes.toString('hex'), bytes);
    }
  }
  return [...encodings.values()];
}

/**
 * Returns a quick test for a secret that is random and used once: whether bytes contain a beginning or an end of one of
 * its forms. To prepare a whole search would cost more than most answers.
 */
export function createHint(text: string): (bytes: Buffer) => boolean {
  const bytes = Buffer.from(text);
  const hints = [bytes, ...encodedForms(bytes)].flatMap((form) => {
    const runs = form.toString('latin1').match(HINT);
    return runs ? [runs[0], runs.at(-1) ?? runs[0]] : [];
  });
  return (haystack) => hints.some((hint) => haystack.includes(hint, 0, 'latin1'));
}

/** Characters that are the same in most encodings of text. */
const HINT = /[0-9A-Za-z]{6}/g;

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

function createMasker(automaton: Automaton, options: SearchOptions, onFound: (text: number) => void): Masker {
  const search = createSearch(automaton, options);
  /** Searches the bytes as they came; undefined while that gives the same as `search`. */
  let plain: Search | undefined;
  const output = createMaskedOutput();
  const told = new Set<number>();
  /** Bytes processed so far, not counting an incomplete escape at the end. */
  let read = 0;
  let unread: Buffer = Buffer.alloc(0);

  function tell(): void {
    for (const text of [...search.seen, ...(plain?.seen ?? [])]) {
      if (!told.has(text)) onFound(text);
      told.add(text);
    }
  }

  function mask(bytes: Buffer, isLast: boolean): Buffer {
    const raw = unread.length > 0 ? Buffer.concat([unread, bytes]) : bytes;
    const base = read;
    if (!plain && ESCAPES.some((sign) => raw.includes(sign)))
      plain = createSearch(automaton, options, search.standing());
    const end = normalizeBytes(raw, isLast, (byte, from, to, written) =>
      search.step(byte, base + from, base + to, written),
    );
    if (plain)
      for (let at = 0; at < end; at += 1) {
        const byte = raw[at] ?? 0;
        plain.step(normalizeByte(byte), base + at, base + at + 1, byte);
      }
    const found: Range[] = [...search.collect(isLast), ...(plain?.collect(isLast) ?? [])];
    found.sort((one, other) => one.to - other.to).forEach(output.found);
    if (found.length > 0) tell();
    output.add(raw.subarray(0, end));
    read += end;
    unread = raw.subarray(end);
    const open = Math.min(search.openFrom(), plain?.openFrom() ?? Infinity);
    if (plain?.isIdle() && search.isIdle()) plain = undefined;
    return output.collect(isLast ? read : Math.min(read, open));
  }

  return {
    push: (bytes) => mask(bytes, false),
    end: () => mask(Buffer.alloc(0), true),
    leave: () => Buffer.concat([...output.held(), unread]),
  };
}
