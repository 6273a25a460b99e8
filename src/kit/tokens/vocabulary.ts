/**
 * The o200k_base vocabulary of `gpt-tokenizer`, read from its `.tiktoken` file: a line for each token, in the order of
 * the ranks, with the token's bytes in base64. The bytes of all tokens stand in one array behind a hash table, because
 * a `Map` of 200,000 strings takes ten times as long to build (0.3 s of each process that starts) and five times the
 * memory.
 */
import { readFileSync } from 'node:fs';
import type { Vocabulary } from './token-merge';

/** Slots of the hash table, a power of two: 2.6 for each token. */
const SLOTS = 1 << 19;
const NEWLINE = 10;
const SPACE = 32;
const ZERO = 48;
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Reads the vocabulary. Takes 30 to 60 ms. Throws if the ranks of the file are not 0, 1, 2 and so on. */
export function loadVocabulary(): Vocabulary {
  const { bytes, ends, longest } = readTokens(
    readFileSync(require.resolve('gpt-tokenizer/data/o200k_base.tiktoken')),
  );
  const startOf = (rank: number) => (rank === 0 ? 0 : (ends[rank - 1] as number));
  /** The rank in each slot plus 1; 0 for a free slot. */
  const slots = new Int32Array(SLOTS);
  for (let rank = 0; rank < ends.length; rank += 1) {
    let hash = FNV_BASIS;
    for (let at = startOf(rank); at < (ends[rank] as number); at += 1)
      hash = Math.imul(hash ^ (bytes[at] as number), FNV_PRIME);
    let slot = slotOf(hash);
    while (slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    slots[slot] = rank + 1;
  }

  const isToken = (rank: number, text: string): boolean => {
    const start = startOf(rank);
    if ((ends[rank] as number) - start !== text.length) return false;
    for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text.charCodeAt(at)) return false;
    return true;
  };

  return {
    longest,
    rankOf(text) {
      let hash = FNV_BASIS;
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
      for (let slot = slotOf(hash); slots[slot] !== 0; slot = (slot + 1) % SLOTS) {
        const rank = (slots[slot] as number) - 1;
        if (isToken(rank, text)) return rank;
      }
      return undefined;
    },
  };
}

/** Mixes the high bits in, which FNV-1a changes more than the low ones. */
const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1);

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTETS = new Int8Array(256).fill(-1);
for (const [value, char] of [...ALPHABET].entries()) SEXTETS[char.charCodeAt(0)] = value;

/**
 * The bytes of all tokens one after another, and where each token ends. Decodes base64 itself, because a call of
 * `Buffer` for each token takes longer than the decoding.
 */
function readTokens(file: Uint8Array) {
  const bytes = new Uint8Array(file.length);
  const ends: number[] = [];
  let [end, longest, at] = [0, 0, 0];
  while (at < file.length) {
    const start = end;
    let [bits, pending, rank] = [0, 0, 0];
    for (; at < file.length && file[at] !== SPACE; at += 1) {
      const sextet = SEXTETS[file[at] as number] as number;
      if (sextet < 0) continue; // Padding.
      pending = ((pending << 6) | sextet) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes[end] = (pending >> bits) & 0xff;
      end += 1;
    }
    for (at += 1; at < file.length && file[at] !== NEWLINE; at += 1)
      rank = rank * 10 + (file[at] as number) - ZERO;
    at += 1;
    if (rank !== ends.length)
      throw new Error(
        `line ${ends.length + 1} of o200k_base.tiktoken has rank ${rank} instead of ${ends.length}`,
      );
    longest = Math.max(longest, end - start);
    ends.push(end);
  }
  return { bytes: bytes.slice(0, end), ends: Int32Array.from(ends), longest };
}
