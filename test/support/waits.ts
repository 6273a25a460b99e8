/**
 * How tests wait: for something to become true, and for time to pass only where time is the subject. No other file of
 * tests sets a timer (eslint).
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Tests wait twice as long in CI, because its machines are shared. */
const PATIENCE = process.env['CI'] ? 2 : 1;

/** A check costs a query, a request or a workflow task, so the interval between checks grows with the wait. */
const LOOK_AGAIN_MS = { least: 20, most: 250, share: 0.2 };

/**
 * Waits until `holds` answers true; fails after `timeoutMs`, in CI after twice as long. `everyMs`: between two looks,
 * if they are cheap and the moment counts.
 */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
  everyMs?: number,
): Promise<void> {
  const begunAt = Date.now();
  const { least, most, share } = LOOK_AGAIN_MS;
  while (!(await holds())) {
    const waitedMs = Date.now() - begunAt;
    if (waitedMs > timeoutMs * PATIENCE) throw new Error(`not true within ${timeoutMs * PATIENCE} ms`);
    await sleep(everyMs ?? Math.min(most, Math.max(least, waitedMs * share)));
  }
}

/**
 * Lets real time pass, where time is the subject or no event shows that something has happened. `_why` says which.
 * `ref: false`: the process may end meanwhile.
 */
export async function realTime(ms: number, _why: string, options: { ref?: boolean } = {}): Promise<void> {
  await sleep(ms, undefined, options);
}
