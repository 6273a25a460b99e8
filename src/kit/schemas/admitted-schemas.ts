import { sha256Hex } from '../json/canonical-json';

/** A new version mostly has the schemas of the one before it. */
const MOST_OF_A_DEVELOPER = 32;
const MOST_DEVELOPERS = 1_000;

/**
 * Remembers admitted schemas by their hash, so that they are not checked again (docs/internals/queues.md#publications).
 * Refused ones are not kept: each of them costs its developer a turn. Invariant: a developer neither reads nor
 * displaces what is known of another's schemas.
 */
export function createAdmittedSchemas() {
  /** Hashes by developer, both in least-recently-used order. */
  const developers = new Map<string, Map<string, true>>();

  return {
    has(developer: string, text: string): boolean {
      const hashes = developers.get(developer);
      const hash = sha256Hex(text);
      if (!hashes?.has(hash)) return false;
      touch(developers, developer, hashes, MOST_DEVELOPERS);
      touch(hashes, hash, true, MOST_OF_A_DEVELOPER);
      return true;
    },
    add(developer: string, text: string): void {
      const hashes = developers.get(developer) ?? new Map<string, true>();
      touch(developers, developer, hashes, MOST_DEVELOPERS);
      touch(hashes, sha256Hex(text), true, MOST_OF_A_DEVELOPER);
    },
  };
}

/** Makes an entry the newest one, and removes the oldest one of more than `most`. */
function touch<V>(entries: Map<string, V>, key: string, value: V, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
