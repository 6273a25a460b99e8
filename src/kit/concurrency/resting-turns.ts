import { setTimeout as sleep } from 'node:timers/promises';
import { createTenantTurns } from './tenant-turns';

/** Work that comes in crowds: of a tenant one at a time, each with a rest behind it. */
interface RestingTurns {
  /**
   * Runs `work` in the turn of a tenant. Rejects with the error of `work`, or with `late()` when the turn does not come
   * in time, or too many of the tenant wait.
   */
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

interface RestingTurnsOptions {
  /** How many tenants work or rest at a time. */
  slots: number;
  /** How long the rest is behind work that took so long, in ms. */
  restMs: (tookMs: number) => number;
  patienceMs: number;
  /** How many of a tenant may wait. */
  mostWaiting: number;
  late: () => Error;
}

/**
 * Leaves the processor to other work: while the machine is busy, the work takes longer, and so do the rests. Work that
 * comes alone is done at once, because the rest comes last.
 */
export function createRestingTurns({ restMs, ...options }: RestingTurnsOptions): RestingTurns {
  const turns = createTenantTurns({ ...options, mostRunning: 1 });
  return {
    run: <T>(tenant: string, work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const thenRest = async () => {
          const beganAt = performance.now();
          await work().then(resolve, reject);
          await sleep(restMs(performance.now() - beganAt), undefined, { ref: false });
        };
        turns.run(tenant, thenRest).catch(reject);
      }),
  };
}
