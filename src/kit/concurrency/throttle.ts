import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from './semaphore';

/** Spaces out background work, so that foreground work on the same machine keeps its share of the processor. */
export interface Throttle {
  /** Resolves when the next task may start, in request order. Rejects when `signal` aborts the wait. */
  turn(signal?: AbortSignal): Promise<void>;
}

export interface ThrottleOptions {
  /** Number of tasks that may start at once after an idle period. */
  burst: number;
  /** Interval between two starts while the process is otherwise idle, in milliseconds. */
  leastMs: number;
  /**
   * Maximum interval between two starts, in milliseconds: while the process uses a whole core. It bounds the wait
   * under any load.
   */
  mostMs: number;
}

/** Time sources of a throttle; replaced in tests. */
export interface ThrottleClock {
  nowMs(): number;
  /** Processor time that this process and its threads have used, in milliseconds. */
  usedMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>;
}

/** A process that uses less than this share of a core counts as idle. */
const IDLE_SHARE = 0.25;

const CLOCK: ThrottleClock = {
  nowMs: () => performance.now(),
  usedMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Creates a throttle. It starts with a full burst. */
export function createThrottle({ burst, leastMs, mostMs }: ThrottleOptions, clock = CLOCK): Throttle {
  const line = createSemaphore(1);
  let free = burst;
  let seen = { now: clock.nowMs(), used: clock.usedMs() };

  /** Adds the starts that have become available since the last call; returns the current interval in milliseconds. */
  function look(): number {
    const here = { now: clock.nowMs(), used: clock.usedMs() };
    const passedMs = here.now - seen.now;
    const share = passedMs > 0 ? (here.used - seen.used) / passedMs : 0;
    const busy = Math.min(1, Math.max(0, (share - IDLE_SHARE) / (1 - IDLE_SHARE)));
    const gapMs = leastMs + (mostMs - leastMs) * busy;
    free = Math.min(burst, free + passedMs / gapMs);
    seen = here;
    return gapMs;
  }

  return {
    turn: (signal) =>
      line.run(async () => {
        for (let gapMs = look(); free < 1; gapMs = look()) {
          signal?.throwIfAborted();
          await clock.sleep(Math.max(1, (1 - free) * gapMs), signal);
        }
        free -= 1;
      }),
  };
}
