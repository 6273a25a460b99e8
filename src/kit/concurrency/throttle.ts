import { setTimeout as sleep } from 'node:timers/promises';
import { createGate } from './semaphore';

/** Lets work that is in no hurry begin so seldom that other work of the machine keeps its share. */
export interface Pace {
  /** Resolves when the next piece of work may begin, in the order of asking; rejects when `signal` ends the wait. */
  turn(signal?: AbortSignal): Promise<void>;
}

export interface PaceOptions {
  /** Pieces that may begin at once after a time of rest. */
  burst: number;
  /** Between two beginnings, while this process has nothing else to do. */
  leastMs: number;
  /** The same, while this process uses a whole processor: however busy it is, no work waits for ever. */
  mostMs: number;
}

export interface PaceClock {
  nowMs(): number;
  /** Of all processors, by this process with its threads. */
  usedMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>;
}

/** A process that uses less than this share of a processor has nothing else to do. */
const IDLE_SHARE = 0.25;

const CLOCK: PaceClock = {
  nowMs: () => performance.now(),
  usedMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

export function createPace({ burst, leastMs, mostMs }: PaceOptions, clock = CLOCK): Pace {
  const line = createGate(1);
  let free = burst;
  let seen = { now: clock.nowMs(), used: clock.usedMs() };

  /** Counts what has become free since the last look, and tells how long one more takes. */
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
