import type { Logger } from '../logger';

/** Turns that fail one after the other until a loop counts as failing. */
const FAILED_TURNS = 3;
/** A loop without a good turn for so long, and for three of its pauses, counts as failing too: it may hang. */
const SILENT_MS = 60_000;

/** What the worker needs to start a loop. */
export interface LoopSpec {
  name: string;
  everyMs: number;
  /** Rows that one statement of a turn reads at most, whatever history there is; a test proves it. */
  mostRows: number;
  work: () => Promise<unknown>;
}

export interface Loop {
  name: string;
  /** Totals so far. `lastDoneMs`: end of the last successful turn, in ms since the epoch; 0 before the first. */
  readonly turns: { done: number; failed: number; failedInARow: number; lastDoneMs: number };
  /** True while the loop does not do its work: its turns fail, or the present one does not end. */
  isFailing(): boolean;
  stop(): Promise<void>;
}

/** Runs `work` every `everyMs`, one turn at a time. A failed turn is logged; the next one runs as scheduled. */
export function startLoop(
  { name, everyMs, work }: Pick<LoopSpec, 'name' | 'everyMs' | 'work'>,
  logger: Logger,
): Loop {
  let stopped = false;
  let wake: (() => void) | undefined;
  const turns = { done: 0, failed: 0, failedInARow: 0, lastDoneMs: 0 };
  const startedMs = Date.now();

  async function pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        await work();
        turns.done += 1;
        turns.failedInARow = 0;
        turns.lastDoneMs = Date.now();
      } catch (error) {
        turns.failed += 1;
        turns.failedInARow += 1;
        logger.warn({ err: error, loop: name }, 'loop turn failed');
      }
      if (!stopped) await pause();
    }
  }

  const running = run();
  return {
    name,
    turns,
    isFailing: () =>
      turns.failedInARow >= FAILED_TURNS ||
      Date.now() - Math.max(startedMs, turns.lastDoneMs) > Math.max(SILENT_MS, 3 * everyMs),
    async stop() {
      stopped = true;
      wake?.();
      await running;
    },
  };
}
