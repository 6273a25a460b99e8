import type { Client } from '@temporalio/client';
import { withTimeout } from '../kit/with-timeout';

/**
 * Runs `work` with a gRPC deadline and rejects after `deadlineMs` in any case: the additional timer covers half-open
 * connections, on which the gRPC deadline may not fire.
 */
export async function withDeadline<T>(
  client: Client,
  deadlineMs: number,
  work: () => Promise<T>,
): Promise<T> {
  return withTimeout(deadlineMs, client.connection.withDeadline(Date.now() + deadlineMs, work), () => {
    throw new Error(`the workflow engine did not answer within ${deadlineMs} ms`);
  });
}
