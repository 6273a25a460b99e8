/**
 * The automaton of Aho and Corasick: the search forms of all secrets in one trie, with a link from each state to its
 * longest proper suffix in the trie. A byte costs two transitions on average, whatever the forms and the input are:
 * each step down a link undoes an earlier step up.
 */

/** Forms shorter than this match whole words only. */
export const MIN_INSIDE_BYTES = 8;

/** One normalized form of a secret. */
export interface Needle {
  bytes: Buffer;
  /** Index of the secret. */
  of: number;
  /**
   * `word`: it matches whole words only. `host`: the same, and not as a part of a longer name or an e-mail address.
   * Default: it matches anywhere if it has at least `MIN_INSIDE_BYTES`.
   */
  only?: 'word' | 'host';
}

export interface Automaton {
  /** Moves on by a byte. State 0 is the root: no form has begun. */
  next(state: number, byte: number): number;
  /** The state after this byte at the root; 0 if no form begins with it. */
  first: Int32Array;
  /** For each state: how many of the last bytes belong to it. */
  depth: Int32Array;
  /** Length of the longest form. */
  longest: number;
  /** For each state: how many of the last bytes can still become a form that has not ended. */
  open: Int32Array;
  /** For each state: the state of the longest form that ends there and matches anywhere; 0 if there is none. */
  ends: Int32Array;
  /** For each state: the states of the forms that end there and match whole words only. */
  words: ReadonlyMap<number, readonly number[]>;
  /** The states at which host names end. */
  hosts: ReadonlySet<number>;
  /** For each state: the next shorter state at which a form ends; 0 if there is none. */
  shorter: Int32Array;
  /** For each state at which a form ends: its secrets. */
  secrets: ReadonlyMap<number, readonly number[]>;
}

/** Creates the automaton. The cost and the memory (about 30 bytes for each byte of a form) are linear. */
export function createAutomaton(needles: readonly Needle[]): Automaton {
  const trie = createTrie(needles);
  const { child, sibling, label, first, depth, own, hosts, wholes, size, next } = trie;
  const { suffix } = trie;
  const ends = new Int32Array(size);
  const open = new Int32Array(size);
  const shorter = new Int32Array(size);
  const words = new Map<number, number[]>();
  const queue = new Int32Array(size);
  let waiting = 1;
  for (let done = 0; done < waiting; done += 1) {
    const state = queue[done] as number;
    const link = suffix[state] as number;
    const length = depth[state] as number;
    if (state !== 0) {
      const isEnd = own.has(state);
      shorter[state] = own.has(link) ? link : (shorter[link] as number);
      const isWord = isEnd && (length < MIN_INSIDE_BYTES || wholes.has(state));
      ends[state] = isEnd && !isWord ? state : (ends[link] as number);
      open[state] = child[state] === 0 ? (open[link] as number) : length;
      const inherited = words.get(link) ?? [];
      if (isWord || inherited.length > 0) words.set(state, isWord ? [state, ...inherited] : inherited);
    }
    for (let below = child[state] as number; below !== 0; below = sibling[below] as number) {
      suffix[below] = state === 0 ? 0 : next(link, label[below] as number);
      queue[waiting] = below;
      waiting += 1;
    }
  }
  const longest = needles.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
  return { next, first, depth, longest, open, ends, words, hosts, shorter, secrets: own };
}

/** Creates the trie; its suffix links are still those to the root. */
function createTrie(needles: readonly Needle[]) {
  const capacity = needles.reduce((sum, { bytes }) => sum + bytes.length, 1);
  const child = new Int32Array(capacity);
  const sibling = new Int32Array(capacity);
  const suffix = new Int32Array(capacity);
  const depth = new Int32Array(capacity);
  const label = new Uint8Array(capacity);
  const first = new Int32Array(256);
  const own = new Map<number, number[]>();
  /** States whose forms match whole words only; of these, the host names. */
  const wholes = new Set<number>();
  const hosts = new Set<number>();
  let size = 1;

  function below(state: number, byte: number): number {
    if (state === 0) return first[byte] as number;
    let at = child[state] as number;
    while (at !== 0 && label[at] !== byte) at = sibling[at] as number;
    return at;
  }

  function add(state: number, byte: number): number {
    const added = size;
    size += 1;
    label[added] = byte;
    depth[added] = (depth[state] as number) + 1;
    sibling[added] = child[state] as number;
    child[state] = added;
    if (state === 0) first[byte] = added;
    return added;
  }

  for (const { bytes, of, only } of needles) {
    let state = 0;
    for (const byte of bytes) state = below(state, byte) || add(state, byte);
    const known = own.get(state) ?? [];
    // A form that also belongs to another kind has the wider rule.
    if (only && known.length === 0) wholes.add(state);
    if (only === 'host' && known.length === 0) hosts.add(state);
    if (!only) wholes.delete(state);
    if (only !== 'host') hosts.delete(state);
    if (!known.includes(of)) own.set(state, [...known, of]);
  }

  function next(from: number, byte: number): number {
    for (let state = from; ; state = suffix[state] as number) {
      const at = below(state, byte);
      if (at !== 0 || state === 0) return at;
    }
  }

  return { child, sibling, suffix, depth, label, first, own, hosts, wholes, size, next };
}
