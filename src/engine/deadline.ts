import type { Client } from '@temporalio/client';

/** The gRPC deadline and a timer of our own: a half-open connection must not hold a caller longer. */
export async function withDeadline<T>(
  client: Client,
  deadlineMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the engine did not answer in time')), deadlineMs);
  });
  try {
    return await Promise.race([client.connection.withDeadline(Date.now() + deadlineMs, work), overrun]);
  } finally {
    clearTimeout(timer);
  }
}
