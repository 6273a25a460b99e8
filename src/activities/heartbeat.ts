import { Context } from '@temporalio/activity';

/**
 * The SDK throttles heartbeats to a fraction of each activity's heartbeat timeout, so a short interval costs nothing.
 */
const HEARTBEAT_MS = 1_000;

/**
 * Runs `work` and sends heartbeats until it ends, so that Temporal detects the death of the worker and retries the
 * activity. `work` gets the activity's cancellation signal.
 */
export async function withHeartbeats<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
