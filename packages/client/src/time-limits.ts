export interface TimeLimits {
  /**
   * The longest time of one attempt until its answer is complete, and the longest silence of a stream, in milliseconds.
   * Default 330 s, since a call takes up to 300 s.
   */
  timeoutMs?: number | undefined;
  /** The longest time of a request with all its attempts and waits, and of a stream to its end. Default: no limit. */
  totalTimeoutMs?: number | undefined;
}

/** A time limit whose signal is aborted when it has passed. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly ms: number | undefined;
  /** Milliseconds until the limit; Infinity without one. */
  left(): number;
  /** Begins again. */
  restart(): void;
  clear(): void;
}

/** Timers take at most this many milliseconds; a longer wait would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts a time limit. Throws `RangeError` unless `ms` is undefined or a positive number. */
export function startLimit(name: string, ms: number | undefined): TimeLimit {
  if (ms !== undefined && !(ms > 0)) throw new RangeError(`${name} must be a positive number, not ${ms}`);
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let endsAt = Infinity;
  const clear = () => clearTimeout(timer);
  const restart = () => {
    clear();
    if (ms === undefined) return;
    endsAt = Date.now() + ms;
    if (ms <= LONGEST_TIMER_MS) timer = setTimeout(() => controller.abort(), ms);
  };
  restart();
  return { signal: controller.signal, ms, restart, clear, left: () => endsAt - Date.now() };
}
