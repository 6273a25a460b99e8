import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { addPoints, readCounter } from '../../stores/accounts/rate-limits';

export interface LoginGuard {
  /**
   * Runs a login attempt. `work` returns undefined for wrong credentials. After too many failures for the same email
   * and address, throws `rate_limited` without running it. Attempts for the same pair run one after another, so that
   * parallel guesses cannot bypass the count.
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
      message: 'Too many failed logins. Wait and retry.',
      retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1_000)),
    });
  }
  const result = await work();
  if (result === undefined) await addPoints(db, [{ key, points: 1, windowMs: limit.windowMs }]);
  return result;
}
