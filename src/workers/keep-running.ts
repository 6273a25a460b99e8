import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import type { Logger } from '../logger';

const FIRST_BACKOFF_MS = 500;
const LAST_BACKOFF_MS = 10_000;

export interface RunningWorker {
  /** Stops polling, lets running tasks end, and resolves when the worker is down. */
  stop(): Promise<void>;
  readonly alive: boolean;
}

/** Runs a worker and replaces it, with backoff, when it fails (for example after a long outage of the engine). */
export function keepRunning(name: string, create: () => Promise<Worker>, logger: Logger): RunningWorker {
  let current: Worker | undefined;
  let stopping = false;
  let alive = false;
  const stopped = new AbortController();

  async function loop(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!stopping) {
      try {
        current = await create();
        const running = current.run();
        // A worker closes its connection only if it ran, so run it even if it must stop right away.
        if (stopping) current.shutdown();
        alive = true;
        backoffMs = FIRST_BACKOFF_MS;
        await running;
      } catch (error) {
        if (!stopping) logger.error({ err: error, worker: name }, 'worker failed; starting another one');
      }
      alive = false;
      await sleep(backoffMs, undefined, { signal: stopped.signal }).catch(() => undefined);
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
      stopped.abort();
      if (current?.getState() === 'RUNNING') current.shutdown();
      await running;
    },
  };
}
