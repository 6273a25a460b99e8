import { sha256Hex } from '../json/canonical-json';
import { BoundedMap } from '../bounded-map';

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
  const developers = new BoundedMap<string, BoundedMap<string, true>>(MOST_DEVELOPERS);

  return {
    has(developer: string, text: string): boolean {
      const isAdmitted = developers.get(developer)?.use(sha256Hex(text)) === true;
      if (isAdmitted) developers.use(developer);
      return isAdmitted;
    },
    add(developer: string, text: string): void {
      const hashes = developers.get(developer) ?? new BoundedMap<string, true>(MOST_OF_A_DEVELOPER);
      developers.set(developer, hashes);
      hashes.set(sha256Hex(text), true);
    },
  };
}
