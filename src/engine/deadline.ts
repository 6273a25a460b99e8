import type { Client } from '@temporalio/client';

/**
 * Runs `work` with a gRPC deadline and rejects after `deadlineMs` in any case: the additional timer covers half-open
 * connections, on which the gRPC deadline may not fire.
 */
export async function withDeadline<T>(
  client: Client,
  deadlineMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the workflow engine did not answer within ${deadlineMs} ms`)),
      deadlineMs,
    );
  });
  try {
    return await Promise.race([client.connection.withDeadline(Date.now() + deadlineMs, work), overrun]);
  } finally {
    clearTimeout(timer);
  }
}
