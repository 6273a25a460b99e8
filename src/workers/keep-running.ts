import type { Worker } from '@temporalio/worker';
import type { Logger } from '../logger';

const FIRST_BACKOFF_MS = 500;
const LAST_BACKOFF_MS = 10_000;

export interface RunningWorker {
  /** Stops polling, lets running tasks end, and resolves when the worker is down. */
  stop(): Promise<void>;
  readonly alive: boolean;
}

/** Runs a worker and makes a new one, with back-off, when it fails (the engine was away for too long, say). */
export function keepRunning(name: string, create: () => Promise<Worker>, logger: Logger): RunningWorker {
  let current: Worker | undefined;
  let stopping = false;
  let alive = false;

  async function loop(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!stopping) {
      try {
        current = await create();
        if (stopping) return;
        alive = true;
        backoffMs = FIRST_BACKOFF_MS;
        await current.run();
      } catch (error) {
        if (!stopping) logger.error({ err: error, worker: name }, 'worker failed; starting another one');
      }
      alive = false;
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, backoffMs));
      backoffMs = Math.min(backoffMs * 2, LAST_BACKOFF_MS);
    }
  }

  const running = loop();
  return {
    get alive() {
      return alive;
    },
    async stop() {
      stopping = true;
      if (current?.getState() === 'RUNNING') current.shutdown();
      await running;
    },
  };
}
