import { MarketError } from '../../domain/errors';
import type { Limit, LimitedKey, RateLimits } from '../../services/accounts/rate-limits';

const WINDOW_MS = 60_000;
/** Callbacks of a call: a job that reports each second, and a few reports at once. */
const PER_CALL: Limit = { points: 60, windowMs: WINDOW_MS };
/** Callbacks of all calls of a developer's agents. */
const PER_DEVELOPER: Limit = { points: 6_000, windowMs: WINDOW_MS };

/** What a callback with the token of its call counts against instead of its address, which many agents may share. */
export const callbackLimitsOf = (invocationId: string): LimitedKey[] => [
  { policy: 'callback', key: `callback/${invocationId}`, limit: PER_CALL },
];

/** Counts a callback against its developer. Throws `rate_limited`. */
export function countForDeveloper(rateLimits: Pick<RateLimits, 'consume'>, developerUserId: string): void {
  const { allowed, resetAt } = rateLimits.consume(`callbacks/${developerUserId}`, PER_DEVELOPER);
  if (allowed) return;
  throw new MarketError('rate_limited', {
    message: `The agents of this developer have called back ${PER_DEVELOPER.points} times within a minute.`,
    retryAfterSeconds: Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000)),
  });
}
