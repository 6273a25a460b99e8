/** Searches a byte stream for several secrets in one pass, with the automaton of `automaton.ts`. */
import type { Automaton } from './automaton';

const NONE: readonly number[] = [];
const NO_STARTS = new Float64Array(0);
const NO_BYTES = new Uint8Array(0);

/** A byte range of the stream: `from` inclusive, `to` exclusive. */
export interface Range {
  from: number;
  to: number;
}

/** Before a host name, these make it the end of a longer name or of an e-mail address: `.` and `@`. */
const BEFORE_HOSTS = new Set([0x2e, 0x40]);

export type Search = ReturnType<typeof createSearch>;

/**
 * Creates a search that receives the stream byte by byte. With `from`, it continues where another search of the same
 * automaton stands. A beginning of a form that is shorter than `leastHeld` does not count as open.
 */
export function createSearch(automaton: Automaton, leastHeld: number, from?: Standing) {
  const { next, first, depth, open: reach, ends, words, hosts, secrets } = automaton;
  const history = createHistory(automaton.longest, from?.history);
  const matches = createMatches();
  const hasWords = words.size > 0;
  let before = from?.before ?? 0;
  let state = from?.state ?? 0;
  /** The secrets that were found, and the states at which that was noted. */
  const seen = new Set<number>();
  const noted = new Set<number>();
  /** Word matches that still depend on the next byte. */
  let open: Range[] = from ? [...from.open] : [];

  function note(end: number): void {
    if (noted.has(end)) return;
    noted.add(end);
    for (const secret of secrets.get(end) ?? NONE) seen.add(secret);
  }

  function endWords(byte: number, to: number): void {
    if (open.length > 0 && !isWordByte(byte)) for (const word of open) matches.add(word.from, word.to);
    open = [];
    for (const end of words.get(state) ?? NONE) {
      const length = depth[end] as number;
      if (isInName(history.byteBefore(length), hosts.has(end))) continue;
      note(end);
      open.push({ from: history.startOf(length), to });
    }
  }

  return {
    /** Secrets whose forms were found. */
    seen,

    /** Processes one normalized byte, which the raw bytes from `from` to `to` stand for. */
    step(byte: number, from: number, to: number): void {
      const previous = before;
      before = byte;
      if (state === 0 && first[byte] === 0) {
        if (open.length > 0) endWords(byte, to);
        return;
      }
      history.push(from, previous);
      state = next(state, byte);
      if (hasWords) endWords(byte, to);
      const end = ends[state] as number;
      if (end === 0) return;
      note(end);
      matches.add(history.startOf(depth[end] as number), to);
    },

    /** Returns the ranges that are now known to match, in the order of their ends. */
    take(isLast: boolean): Range[] {
      if (isLast) for (const word of open) matches.add(word.from, word.to);
      return matches.take();
    },

    /** True when nothing has begun to match. */
    isIdle: (): boolean => state === 0 && open.length === 0,

    standing: (): Standing => ({ history: history.kept(), before, state, open }),

    /** Start of the earliest range that can still become a match. */
    openFrom(): number {
      const least = open.reduce((from, word) => Math.min(from, word.from), Infinity);
      const length = reach[state] as number;
      return length < leastHeld ? least : Math.min(least, history.startOf(length));
    },
  };
}

interface Kept {
  starts: Float64Array;
  befores: Uint8Array;
  position: number;
}

/** Where a search stands in its stream. */
interface Standing {
  history: Kept;
  before: number;
  state: number;
  open: readonly Range[];
}

/** The last normalized bytes: their positions in the stream, and the byte before each. */
function createHistory(longest: number, from?: Kept) {
  const size = 2 ** Math.ceil(Math.log2(longest + 2));
  let starts = from && from.starts.length > 0 ? from.starts.slice() : NO_STARTS;
  let befores = from?.befores.slice() ?? NO_BYTES;
  let position = from?.position ?? 0;
  return {
    kept: (): Kept => ({ starts, befores, position }),
    push(start: number, before: number): void {
      if (starts === NO_STARTS) [starts, befores] = [new Float64Array(size), new Uint8Array(size)];
      const place = position & (size - 1);
      starts[place] = start;
      befores[place] = before;
      position += 1;
    },
    startOf: (count: number): number => starts[(position - count) & (size - 1)] as number,
    byteBefore: (count: number): number => befores[(position - count) & (size - 1)] as number,
  };
}

/** Matches in the order of their ends. Touching ones are one, so that repeats cannot multiply them. */
function createMatches() {
  let found: Range[] = [];
  return {
    add(from: number, to: number): void {
      const last = found.at(-1);
      if (last && last.to >= from) {
        last.from = Math.min(last.from, from);
        last.to = to;
      } else found.push({ from, to });
    },
    take(): Range[] {
      const taken = found;
      found = [];
      return taken;
    },
  };
}

/** The secrets of which a form occurs in a stream. The cost is linear, also for forms that contain each other. */
export function createSighting({ next, shorter, secrets }: Automaton) {
  const seen = new Set<number>();
  const visited = new Set<number>();
  let state = 0;
  return {
    seen,
    step(byte: number): void {
      state = next(state, byte);
      if (state === 0) return;
      for (let end = secrets.has(state) ? state : (shorter[state] as number); end !== 0;) {
        if (visited.has(end)) return;
        visited.add(end);
        for (const secret of secrets.get(end) ?? []) seen.add(secret);
        end = shorter[end] as number;
      }
    },
  };
}

/** True if what stands before a word belongs to it. */
function isInName(before: number, isHost: boolean): boolean {
  return isWordByte(before) || (isHost && BEFORE_HOSTS.has(before));
}

function isWordByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80;
}
