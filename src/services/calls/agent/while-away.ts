import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../../stores/db';

const PAUSE_MS = 200;

/** Repeats a statement while Postgres is unreachable, until `isOver`. Throws every other error. */
export async function whileAway<T>(isOver: () => boolean, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isOver() || !isDatabaseUnavailable(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
