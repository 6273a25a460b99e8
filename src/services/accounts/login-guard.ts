import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { addPoints, readCounter } from '../../stores/accounts/rate-limits';

export interface LoginGuard {
  /**
   * Runs a log-in attempt, which answers undefined when the credentials were wrong. After too many wrong ones for
   * this account and address it is refused with 429 before it runs; attempts for the same pair wait for each other,
   * so that parallel guesses cannot slip past the count.
   */
  attempt: <T>(email: string, address: string, work: () => Promise<T | undefined>) => Promise<T | undefined>;
}

export function createLoginGuard(db: Db, limit: { failures: number; windowMs: number }): LoginGuard {
  const last = new Map<string, Promise<unknown>>();
  return {
    async attempt(email, address, work) {
      const key = `login/${address}/${email}`;
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.catch(() => undefined).then(() => guarded(db, key, limit, work));
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}

async function guarded<T>(
  db: Db,
  key: string,
  limit: { failures: number; windowMs: number },
  work: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { points, endsInMs } = await readCounter(db, key);
  if (points >= limit.failures) {
    throw new MarketError('rate_limited', {
      message: 'Too many failed log-ins. Wait and retry.',
      retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1_000)),
    });
  }
  const result = await work();
  if (result === undefined) await addPoints(db, [{ key, points: 1, windowMs: limit.windowMs }]);
  return result;
}
