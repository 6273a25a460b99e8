import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { addPoints, readCounter } from '../../stores/accounts/rate-limits';

export interface LoginGuard {
  /**
   * Runs a login attempt. `work` returns undefined, or throws `invalid_credentials`, for wrong credentials. After too
   * many failures for the same email and address, throws `rate_limited` without running it. Attempts for the same pair
   * run one after another, so that parallel guesses cannot bypass the count.
   */
  attempt: <T>(email: string, address: string, work: () => Promise<T | undefined>) => Promise<T | undefined>;
  /**
   * Runs an attempt of a signed-in account to state its own password, in the way of `attempt`. Failures count for the
   * account from every address, because its session may be in the wrong hands.
   */
  confirm: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
}

export function createLoginGuard(db: Db, limit: { failures: number; windowMs: number }): LoginGuard {
  const last = new Map<string, Promise<unknown>>();

  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => guarded(db, key, limit, work));
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  }

  return {
    attempt: (email, address, work) => inTurn(`login/${address}/${email}`, work),
    confirm: (userId, work) => inTurn(`password/${userId}`, work),
  };
}

async function guarded<T>(
  db: Db,
  key: string,
  limit: { failures: number; windowMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const { points, endsInMs } = await readCounter(db, key);
  if (points >= limit.failures) {
    throw new MarketError('rate_limited', {
      message: 'Too many wrong passwords. Wait and retry.',
      retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1_000)),
    });
  }
  const fail = () => addPoints(db, [{ key, points: 1, windowMs: limit.windowMs }]);
  try {
    const result = await work();
    if (result === undefined) await fail();
    return result;
  } catch (error) {
    if (error instanceof MarketError && error.code === 'invalid_credentials') await fail();
    throw error;
  }
}
