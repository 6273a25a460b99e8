import type { Logger } from '../logger';

export interface Loop {
  stop(): Promise<void>;
}

/** Runs `work` every `everyMs`, never twice at once; a failure is logged and the next turn comes as usual. */
export function startLoop(name: string, everyMs: number, work: () => Promise<unknown>, logger: Logger): Loop {
  let stopped = false;
  let wake: (() => void) | undefined;

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
      } catch (error) {
        logger.warn({ err: error, loop: name }, 'loop turn failed');
      }
      if (!stopped) await pause();
    }
  }

  const running = run();
  return {
    async stop() {
      stopped = true;
      wake?.();
      await running;
    },
  };
}
