/**
 * The order in which the tokens of texts are counted. Tenants take turns of a few milliseconds, and short texts take
 * every second turn, so that a short text waits for at most one turn of long texts, however many tenants send those.
 */
import type { TokenSteps } from './token-count';

export interface Counting {
  key: string;
  /** Total length of the texts. */
  length: number;
  /** Begins the counting. */
  steps: () => Generator<undefined, number[], undefined>;
  done: (counts: number[]) => void;
}

/** Texts up to this length count as short. */
const SHORT_LENGTH = 16 * 1024;
/** A long text needs up to 30 times its length in memory while it is counted. */
const MOST_BEGUN = 8;

interface Line {
  waiting: Counting[];
  begun: { counting: Counting; steps: ReturnType<Counting['steps']> } | undefined;
}

/** Lines by tenant, in the order of their turns. */
function createLane(mostBegun: number) {
  const lines = new Map<string, Line>();
  let begun = 0;

  /** The first tenant that may work: one whose counting has begun, or, below the limit, one that waits. */
  function next(): [string, Line] | undefined {
    for (const [key, line] of lines) if (line.begun || begun < mostBegun) return [key, line];
    return undefined;
  }

  return {
    add(counting: Counting): void {
      const line = lines.get(counting.key) ?? { waiting: [], begun: undefined };
      line.waiting.push(counting);
      lines.set(counting.key, line);
    },

    /** Works for one tenant until `until` (`performance.now()`). Returns false if there is nothing to do. */
    turn(until: number): boolean {
      const [key, line] = next() ?? [];
      if (key === undefined || !line) return false;
      lines.delete(key);
      do {
        if (!line.begun) {
          const counting = line.waiting.shift();
          if (!counting) break;
          line.begun = { counting, steps: counting.steps() };
          begun += 1;
        }
        const step = line.begun.steps.next();
        if (!step.done) continue;
        line.begun.counting.done(step.value);
        line.begun = undefined;
        begun -= 1;
      } while (performance.now() < until);
      if (line.begun || line.waiting.length > 0) lines.set(key, line);
      return true;
    },
  };
}

export function createTokenTurns(turnMs: number) {
  const short = createLane(Infinity);
  const long = createLane(MOST_BEGUN);
  return {
    add: (counting: Counting): void => (counting.length <= SHORT_LENGTH ? short : long).add(counting),
    /** One turn of the short texts and one of the long ones. Returns false if there is nothing to do. */
    turn(): boolean {
      const didShort = short.turn(performance.now() + turnMs);
      return long.turn(performance.now() + turnMs) || didShort;
    },
  };
}

/** Counts texts one after another, without pauses. */
export function countNow(texts: readonly string[], count: (text: string) => TokenSteps): number[] {
  const counting = countEach(texts, count);
  for (;;) {
    const step = counting.next();
    if (step.done) return step.value;
  }
}

/** Counts texts one after another, in steps. */
export function* countEach(
  texts: readonly string[],
  count: (text: string) => TokenSteps,
): Generator<undefined, number[], undefined> {
  const counts: number[] = [];
  for (const text of texts) counts.push(yield* count(text));
  return counts;
}
