import { availableParallelism } from 'node:os';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { MarketError } from '../../domain/errors';

/** OWASP's minimum for argon2id: 19 MiB, 2 passes, 1 lane; about 27 ms per hash. */
const OPTIONS = { algorithm: Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_WAITING = 200;

export interface Passwords {
  hash: (password: string) => Promise<string>;
  /**
   * Compares a password with a hash. With an undefined hash it takes the same time and returns false, so that timing
   * does not reveal whether an account exists.
   */
  matches: (hash: string | undefined, password: string) => Promise<boolean>;
}

/**
 * Hashes passwords, at most one per core at a time. Throws `rate_limited` (429) when too many requests are waiting.
 */
export function createPasswords(concurrency = availableParallelism()): Passwords {
  const limited = createLimit(concurrency, MAX_WAITING);
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

function createLimit(concurrency: number, maxWaiting: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw new MarketError('rate_limited', { retryAfterSeconds: 2 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
