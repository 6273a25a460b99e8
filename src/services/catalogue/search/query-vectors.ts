import type { Embedder } from '../../../egress/embeddings';
import { BoundedMap } from '../../../kit/bounded-map';
import { withTimeout } from '../../../kit/with-timeout';

/** How long a search waits for the vector of its query. */
const PATIENCE_MS = 150;
/** A vector that comes later is kept for the next search. */
const TIMEOUT_MS = 3_000;
const MOST_KEPT = 1_000;
const MOST_CHARACTERS = 1_000;
/** Requests that fail or are late, one after the other, until none is waited for, and for how long. */
const MOST_FAILURES = 3;
const PAUSE_MS = 30_000;
/** Requests under way at once. */
const MOST_ASKING = 8;

/** The vectors of queries, from an endpoint that may be slow or lost: a search never fails for it. */
export function createQueryVectors(embedder: Embedder, nowMs: () => number = Date.now) {
  const kept = new BoundedMap<string, Promise<Int8Array | undefined>>(MOST_KEPT);
  let failures = 0;
  let pausedUntilMs = 0;
  let asking = 0;

  function note(isGood: boolean): undefined {
    failures = isGood ? 0 : failures + 1;
    if (failures >= MOST_FAILURES) pausedUntilMs = nowMs() + PAUSE_MS;
  }

  function ask(text: string, isTrial: boolean): Promise<Int8Array | undefined> {
    const fromMs = nowMs();
    asking += 1;
    const vector = embedder
      .embed([text], TIMEOUT_MS)
      .then(([found]) => {
        const isInTime = nowMs() - fromMs <= PATIENCE_MS;
        // A search that waited in vain has noted it already.
        if (isInTime || isTrial) note(isInTime);
        return found;
      })
      .catch(() => {
        note(false);
        kept.delete(text);
        return undefined;
      })
      .finally(() => (asking -= 1));
    kept.set(text, vector);
    return vector;
  }

  return {
    model: embedder.model,

    /** The vector of a query; undefined if it does not come in time. */
    async of(query: string): Promise<Int8Array | undefined> {
      const text = query.slice(0, MOST_CHARACTERS).trim().toLowerCase();
      const known = kept.use(text);
      const isDown = failures >= MOST_FAILURES;
      if (!known && (asking >= MOST_ASKING || (isDown && (asking > 0 || nowMs() < pausedUntilMs))))
        return undefined;
      const vector = known ?? ask(text, isDown);
      // After failures, one request tries whether the endpoint answers again, and no search waits for it.
      if (isDown && !known) return undefined;
      return withTimeout(isDown ? 0 : PATIENCE_MS, vector, () => note(false));
    },
  };
}
