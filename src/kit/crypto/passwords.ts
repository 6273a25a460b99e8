import { availableParallelism } from 'node:os';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { MarketError } from '../../domain/errors';
import { createFairSlots } from '../concurrency/fair-slots';
import { currentLane } from '../concurrency/lanes';

/** OWASP's minimum for argon2id: 19 MiB, 2 passes, 1 lane; about 27 ms per hash. */
const OPTIONS = { algorithm: Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** How many hashes may wait for one account or address. */
const MAX_WAITING = 100;
const PATIENCE_MS = 10_000;

export interface Passwords {
  hash: (password: string) => Promise<string>;
  /**
   * Compares a password with a hash. With an undefined hash it takes the same time and returns false, so that timing
   * does not reveal whether an account exists.
   */
  matches: (hash: string | undefined, password: string) => Promise<boolean>;
}

/**
 * Hashes passwords, at most one per core at a time. Accounts and addresses (`lanes.ts`) take turns, so that a storm of
 * logins delays the login of another address by one hash. Throws `rate_limited` (429) when too many requests of one
 * account or address are waiting, or when a request waited for 10 s.
 */
export function createPasswords(concurrency = availableParallelism()): Passwords {
  const slots = createFairSlots({
    slots: concurrency,
    patienceMs: PATIENCE_MS,
    late: busy,
    mostWaiting: MAX_WAITING,
    crowded: busy,
  });
  const limited = <T>(work: () => Promise<T>) => slots.run(currentLane() ?? 'none', work);
  const make = (password: string) => hash(password, OPTIONS);
  let dummy: Promise<string> | undefined;
  return {
    hash: (password) => limited(() => make(password)),
    matches: async (stored, password) => {
      const target = stored ?? (await (dummy ??= make('placeholder for unknown accounts')));
      const same = await limited(() => verify(target, password));
      return same && stored !== undefined;
    },
  };
}

function busy(): MarketError {
  return new MarketError('rate_limited', { retryAfterSeconds: 2 });
}
