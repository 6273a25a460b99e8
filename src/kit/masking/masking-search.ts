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

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COLON = 0x3a;
const HYPHEN = 0x2d;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Before a host name, these make it the end of a longer name or of an e-mail address: `.`, `@` and `-`. */
const BEFORE_HOSTS = new Set([0x2e, 0x40, HYPHEN]);
/** The letters of the escapes of JSON for white space; they are not letters of the word that follows. */
const BLANK_ESCAPES: ReadonlySet<number> = new Set([0x6e, 0x74, 0x72, 0x66, 0x62]);
/** How far behind a word the end of the name of a member may be. */
const MAX_REST_OF_NAME = 128;

export interface SearchOptions {
  /** A beginning of a form that is shorter does not count as open; default: 1. */
  leastHeld?: number;
  /** Words and host names in names of members are no matches. */
  isJson?: boolean;
}

export type Search = ReturnType<typeof createSearch>;

/** A form that ended, and its state. Whether it matches depends on what follows. */
interface Candidate extends Range {
  end: number;
}

/** A byte of the stream: its place, the byte before its normalization, and whether it stands there as itself. */
interface Place {
  to: number;
  written: number;
  isPlain: boolean;
}

interface Candidates {
  /** Words whose end depends on the next byte. */
  open: readonly Candidate[];
  /** In JSON: words of a string that may be the name of a member. */
  inString: readonly Candidate[];
  isStringOver: boolean;
}

/** Decides about words by what follows them. `confirm` is called for those that match, in the order of their ends. */
function createWords(
  { hosts }: Pick<Automaton, 'hosts'>,
  isJson: boolean,
  confirm: (words: readonly Candidate[]) => void,
  from?: Candidates,
) {
  let open: readonly Candidate[] = from?.open ?? [];
  let inString: readonly Candidate[] = from?.inString ?? [];
  let isStringOver = from?.isStringOver ?? false;

  function leaveString(isName: boolean): void {
    if (!isName) confirm(inString);
    inString = [];
    isStringOver = false;
  }

  /** The end of the string and the colon that may follow it decide. */
  function endString({ written, to, isPlain }: Place): void {
    if (to - (inString[0]?.to ?? to) > MAX_REST_OF_NAME) leaveString(false);
    else if (!isStringOver) isStringOver = written === QUOTE && isPlain;
    else if (!BLANKS.has(written)) leaveString(written === COLON);
  }

  return {
    waits: (): boolean => open.length > 0 || inString.length > 0,
    kept: (): Candidates => ({ open, inString, isStringOver }),
    firstFrom: (): number =>
      [...inString, ...open].reduce((least, word) => Math.min(least, word.from), Infinity),

    /** Decides by the next byte. */
    next(byte: number, place: Place): void {
      const isOver = !isWordByte(byte);
      const ended = open.filter(({ end }) => isOver && !(place.written === HYPHEN && hosts.has(end)));
      open = [];
      if (ended.length > 0 && isJson) inString = [...inString, ...ended];
      else confirm(ended);
      if (inString.length > 0) endString(place);
    },

    begin: (words: readonly Candidate[]) => void (open = words),
    /** All words of the string match, whatever follows. */
    confirmString: () => leaveString(false),
    endAll: () => confirm([...inString, ...open]),
  };
}

/**
 * Creates a search that receives the stream byte by byte. With `from`, it continues where another search of the same
 * automaton stands.
 */
export function createSearch(automaton: Automaton, options: SearchOptions, from?: Standing) {
  const { next, first, depth, open: reach, ends, words, hosts, secrets } = automaton;
  const { leastHeld = 1, isJson = false } = options;
  const history = createHistory(automaton.longest, from?.history);
  const matches = createMatches();
  const hasWords = words.size > 0;
  let before = from?.before ?? 0;
  let state = from?.state ?? 0;
  /** The secrets that were found, and the states at which that was noted. */
  const seen = new Set<number>();
  const noted = new Set<number>();

  function add({ end, from: start, to }: Candidate): void {
    if (!noted.has(end)) for (const secret of secrets.get(end) ?? NONE) seen.add(secret);
    noted.add(end);
    matches.add(start, to);
  }
  const candidates = createWords(automaton, isJson, (found) => found.forEach(add), from?.candidates);

  function beginWords(to: number): void {
    const ended = words.get(state);
    if (!ended) return;
    const begun = ended.filter((end) => !isInName(history.byteBefore(depth[end] as number), hosts.has(end)));
    candidates.begin(begun.map((end) => ({ end, from: history.startOf(depth[end] as number), to })));
  }

  return {
    /** Secrets whose forms were found. */
    seen,

    /** Processes one normalized byte, which the raw bytes from `from` to `to` stand for; `written`: it before that. */
    step(byte: number, from: number, to: number, written: number): void {
      const previous = before;
      before = previous === BACKSLASH && BLANK_ESCAPES.has(byte) ? BACKSLASH : markOf(byte, written);
      if (candidates.waits())
        candidates.next(byte, { to, written, isPlain: to - from === 1 && previous !== BACKSLASH });
      if (state === 0 && first[byte] === 0) return;
      history.push(from, previous);
      state = next(state, byte);
      if (hasWords) beginWords(to);
      const end = ends[state] as number;
      if (end === 0) return;
      // A string with such a secret is no name worth keeping, and matches are added in the order of their ends.
      candidates.confirmString();
      add({ end, from: history.startOf(depth[end] as number), to });
    },

    /** Returns the ranges that are now known to match, in the order of their ends. */
    collect(isLast: boolean): Range[] {
      if (isLast) candidates.endAll();
      return matches.collect();
    },

    /** True when nothing has begun to match. */
    isIdle: (): boolean => state === 0 && !candidates.waits(),

    standing: (): Standing => ({ history: history.kept(), before, state, candidates: candidates.kept() }),

    /** Start of the earliest range that can still become a match. */
    openFrom(): number {
      const least = candidates.firstFrom();
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
  candidates: Candidates;
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
        last.to = Math.max(last.to, to);
      } else found.push({ from, to });
    },
    collect(): Range[] {
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

/** What the search remembers of a byte: its normalized form, but a hyphen as such, which is a space otherwise. */
function markOf(byte: number, written: number): number {
  return written === HYPHEN ? HYPHEN : byte;
}

/** True if what stands before a word belongs to it. */
function isInName(before: number, isHost: boolean): boolean {
  return isWordByte(before) || (isHost && BEFORE_HOSTS.has(before));
}

function isWordByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80;
}
