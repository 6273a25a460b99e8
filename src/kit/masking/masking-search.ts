/**
 * Searches a byte stream for several secrets in one pass without backtracking, so that no input makes it slow (Knuth,
 * Morris and Pratt).
 */

/** Secrets shorter than this match whole words only. */
export const MIN_INSIDE_BYTES = 8;

/** One normalized form of a secret, with its failure table. */
export interface Needle {
  bytes: Buffer;
  /** For each number of matched bytes: the longest shorter prefix that also matches (KMP failure function). */
  fallback: Int32Array;
  /** Matches whole words only. */
  isWord: boolean;
}

/** A byte range of the stream: `from` inclusive, `to` exclusive. */
export interface Range {
  from: number;
  to: number;
}

export function toNeedle(form: Buffer): Needle {
  // JSON escapes backslashes and quotes alike, so a trailing backslash cannot be distinguished from the end of a
  // string.
  let bytes = form;
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

const NOTHING: readonly Range[] = [];

/** Creates a search that receives the stream byte by byte. */
export function createSearch(needles: readonly Needle[]) {
  const size = Math.max(1, ...needles.map(({ bytes }) => bytes.length)) + 1;
  /** Ring buffer of the last normalized bytes: their positions in the stream, and the byte before each. */
  const starts = new Float64Array(size);
  const befores = new Uint8Array(size);
  const matched = new Int32Array(needles.length);
  const begins = new Uint8Array(256);
  for (const { bytes } of needles) begins[bytes[0] ?? 0] = 1;
  let position = 0;
  let before = 0;
  let isIdle = true;
  /** Word matches that still depend on the next byte. */
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
    /** Processes one normalized byte and returns the ranges that are now known to match. */
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
      for (let index = 0; index < needles.length; index += 1) {
        const needle = needles[index];
        if (!needle || !advance(needle, index, byte)) continue;
        const place = placeOf(needle.bytes.length);
        const range = { from: starts[place] ?? 0, to };
        if (!needle.isWord) found = [...found, range];
        else if (!isWordByte(befores[place] ?? 0)) words = [...words, range];
      }
      return found;
    },

    /** Word matches at the end of the stream. */
    finish: () => words,

    /** Start of the earliest range that can still become a match. */
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
