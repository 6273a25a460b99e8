/**
 * The lowest invocation id at a time, in epoch milliseconds. Invocation ids start with the time of their creation, so
 * a time range is a range of the index on (agent, id). `slackMs` allows for clock skew between processes; callers
 * then also filter rows by the database's time.
 */
export function firstInvocationIdSince(timeMs: number, slackMs = 0): string {
  const time = Math.max(0, timeMs - slackMs);
  return `inv_${time.toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
}
