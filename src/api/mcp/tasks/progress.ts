import type { JobReport } from '../../../services/calls/invocation-views';
import type { McpExchange } from '../wire/mcp-request';
import { notification } from '../wire/reply';

/** Progress of two notifications differs at least by this. */
const STEP = 0.0001;

/**
 * Returns the function that sends what the agent of a job has reported as `notifications/progress`, on the stream of
 * the response, if the client wants it. Progress grows with each notification, as the protocol requires.
 */
export function progressReporter({
  client,
  reply,
}: Pick<McpExchange, 'client' | 'reply'>): (job: JobReport) => Promise<void> {
  const { progressToken } = client;
  let last = -1;
  let said: string | null = null;
  return async ({ progress, message }) => {
    if (progressToken === undefined || !reply.streams) return;
    const reached = progress ?? 0;
    // When a job ends, its message is gone before its result is there.
    if (reached <= last && (message === null || message === said)) return;
    const next = reached > last ? reached : last + STEP;
    if (next > 1) return;
    [last, said] = [next, message];
    const params = { progressToken, progress: next, total: 1, ...(message !== null && { message }) };
    await reply.send(notification('notifications/progress', [JSON.stringify(params)]));
  };
}
