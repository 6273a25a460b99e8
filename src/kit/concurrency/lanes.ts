/**
 * The lane of the running work: for whom it waits when something is scarce, e.g. a connection to Postgres. A request
 * runs in the lane of its account. Work without a lane, such as a step that ends a call, is served first, because it
 * frees what others wait for.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const lanes = new AsyncLocalStorage<string | null>();

export function inLane<T>(lane: string, work: () => T): T {
  return lanes.run(lane, work);
}

/** Runs `work`, and everything that it starts, without a lane. */
export function withoutLane<T>(work: () => T): T {
  return lanes.run(null, work);
}

export function currentLane(): string | null {
  return lanes.getStore() ?? null;
}

/** Something scarce was taken by other work: retry later. It is not broken or away. */
export class OverloadError extends Error {
  override readonly name = 'OverloadError';
}
