import { Context } from '@temporalio/activity';

/**
 * The SDK throttles heartbeats to a fraction of each activity's heartbeat timeout, so a short interval costs nothing.
 */
const HEARTBEAT_MS = 1_000;

/** Counts what an activity did, over all its attempts: Temporal keeps the count with the heartbeats. */
interface KeptCount {
  readonly before: number;
  add(): void;
}

/**
 * Runs `work` and sends heartbeats until it ends, so that Temporal detects the death of the worker and retries the
 * activity. `work` gets the activity's cancellation signal, and a count that the next attempt continues.
 */
export async function withHeartbeats<T>(
  work: (signal: AbortSignal, count: KeptCount) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const before = Number(context.info.heartbeatDetails ?? 0);
  let counted = before;
  const beat = () => context.heartbeat(counted);
  const timer = setInterval(beat, HEARTBEAT_MS);
  const add = () => {
    counted += 1;
    beat();
  };
  try {
    return await work(context.cancellationSignal, { before, add });
  } finally {
    clearInterval(timer);
  }
}
