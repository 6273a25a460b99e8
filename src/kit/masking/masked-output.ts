/** The output of a masker: bytes that wait until it is decided whether they belong to a match. */
import type { Range } from './masking-search';

/** Replacement for a secret. A secret that is shorter than the mask becomes asterisks of the same length. */
export const MASK = '[redacted]';

/** Buffers output bytes and the ranges in them that must be masked. */
export function createMaskedOutput() {
  /** The buffered bytes; those before `head` are gone. */
  let waiting: Buffer[] = [];
  let head = 0;
  /** Stream position of the first buffered byte. */
  let at = 0;
  let ranges: Range[] = [];

  /** Removes and returns the buffered bytes before `to`. */
  function cut(to: number): Buffer[] {
    const taken: Buffer[] = [];
    while (at < to && head < waiting.length) {
      const buffer = waiting[head] ?? Buffer.alloc(0);
      const isWhole = at + buffer.length <= to;
      taken.push(isWhole ? buffer : buffer.subarray(0, to - at));
      if (!isWhole) waiting[head] = buffer.subarray(to - at);
      head += isWhole ? 1 : 0;
      at = isWhole ? at + buffer.length : to;
    }
    // The list is shortened rarely, so that many small pieces cost no more than their number.
    if (head * 2 > waiting.length) {
      waiting = waiting.slice(head);
      head = 0;
    }
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
    },

    /** Returns everything before `until`, masked. A match that extends beyond it is held back entirely. */
    collect(until: number): Buffer {
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

    /** The bytes that are held back, as they came. */
    held: (): Buffer[] => waiting.slice(head),
  };
}

/** The mask is never longer than the secret, so that a response cannot grow. */
function maskOf(length: number): Buffer {
  return Buffer.from(length < MASK.length ? '*'.repeat(length) : MASK);
}
