/**
 * Invocation ids begin with the time, in milliseconds, at which a process made them; so a time is a range of the index
 * on (agent, id). `slackMs` allows for clocks that differ, where rows are filtered by the database's own time besides.
 */
export function firstInvocationIdSince(timeMs: number, slackMs = 0): string {
  const time = Math.max(0, timeMs - slackMs);
  return `inv_${time.toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
}
