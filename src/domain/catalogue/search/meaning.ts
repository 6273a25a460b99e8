/**
 * The order by meaning (ADR 0269): texts as vectors, whose angle says how alike they are. A vector is kept with one
 * byte for each number, which changes a cosine by less than a hundredth.
 */

/** The share of meaning in the order of agents that miss words of a query. */
const MEANING_SHARE = 0.5;
const MOST_OF_BYTE = 127;

/** The direction of a vector; undefined if it has none. */
export function directionOf(numbers: readonly number[]): Int8Array | undefined {
  const most = numbers.reduce((max, each) => Math.max(max, Math.abs(each)), 0);
  if (!Number.isFinite(most) || most === 0) return undefined;
  return Int8Array.from(numbers, (each) => Math.round((each / most) * MOST_OF_BYTE));
}

/** The cosine of two directions, from -1 to 1; undefined if they are of different models. */
export function similarity(a: Int8Array, b: Int8Array): number | undefined {
  if (a.length !== b.length) return undefined;
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [one = 0, other = 0] = [a[at], b[at]];
    product += one * other;
    ofA += one * one;
    ofB += other * other;
  }
  return product / Math.sqrt(ofA * ofB);
}

export interface Candidate {
  agentId: string;
  /** The key by words and quality: an integer, highest first. */
  sortKey: bigint;
  vector: Int8Array | null;
}

/**
 * Candidates with the keys by words and meaning. The most similar one keeps its key, one without any similarity has
 * half of it. A candidate without a vector counts like the average.
 */
export function keysByMeaning<Each extends Candidate>(candidates: readonly Each[], query: Int8Array): Each[] {
  const alike = candidates.map(({ vector }) => vector && similarity(query, vector));
  const known = alike.filter((cosine) => typeof cosine === 'number').map((cosine) => Math.max(cosine, 0));
  const best = Math.max(...known, 0);
  if (best === 0) return [...candidates];
  const average = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  return candidates.map((candidate, at) => {
    const part = Math.max(alike[at] ?? average, 0) / best;
    const factor = 1 - MEANING_SHARE + MEANING_SHARE * part;
    return { ...candidate, sortKey: BigInt(Math.round(Number(candidate.sortKey) * factor)) };
  });
}
