import type { Logger } from '../logger';

export interface Loop {
  name: string;
  /** Totals so far. `lastDoneMs`: end of the last successful turn, in ms since the epoch; 0 before the first. */
  readonly turns: { done: number; failed: number; lastDoneMs: number };
  stop(): Promise<void>;
}

/** Runs `work` every `everyMs`, one turn at a time. A failed turn is logged; the next one runs as scheduled. */
export function startLoop(name: string, everyMs: number, work: () => Promise<unknown>, logger: Logger): Loop {
  let stopped = false;
  let wake: (() => void) | undefined;
  const turns = { done: 0, failed: 0, lastDoneMs: 0 };

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
        turns.lastDoneMs = Date.now();
      } catch (error) {
        turns.failed += 1;
        logger.warn({ err: error, loop: name }, 'loop turn failed');
      }
      if (!stopped) await pause();
    }
  }

  const running = run();
  return {
    name,
    turns,
    async stop() {
      stopped = true;
      wake?.();
      await running;
    },
  };
}
