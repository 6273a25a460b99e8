import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '../../../kit/ids/ids';

/** Random numbers from 0 to 1; the same seed gives the same numbers (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An id that was made at this time: a UUIDv7, as `newId` makes it. */
export function pastId(prefix: IdPrefix, ms: number): string {
  const variant = (8 + Math.floor(Math.random() * 4)).toString(16);
  const digits = randomBytes(9).toString('hex');
  return `${prefix}_${Math.floor(ms).toString(16).padStart(12, '0')}7${digits.slice(0, 3)}${variant}${digits.slice(3)}`;
}
