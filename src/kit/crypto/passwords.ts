import { availableParallelism } from 'node:os';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { MarketError } from '../../domain/errors';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentLane } from '../concurrency/lanes';
import { createTenantTurns } from '../concurrency/tenant-turns';

/** What a hash costs: memory in KiB, and passes over it. */
interface HashCost {
  memoryCost: number;
  timeCost: number;
}

/** OWASP's minimum for argon2id with 1 lane: 19 MiB, 2 passes; about 27 ms per hash. */
const OWASP: HashCost = { memoryCost: 19_456, timeCost: 2 };
/** How many hashes may wait for one account or address. */
const MAX_WAITING = 100;
const PATIENCE_MS = 10_000;
/** What a wrong password counts in the order of turns. The count is forgotten by half every ten seconds. */
const FAILURE_MS = 1_000;
/** From this count on, a hash is a guess. One wrong password is forgiven after 20 s. */
const FORGIVEN_MS = 250;
const MOST_REST_MS = 100;

export interface Passwords {
  hash: (password: string) => Promise<string>;
  /**
   * Compares a password with a hash. With an undefined hash it takes the same time and returns false, so that timing
   * does not reveal whether an account exists.
   */
  matches: (hash: string | undefined, password: string) => Promise<boolean>;
  /** Reports wrong credentials: for some time, the account or address waits behind those without failures. */
  failed: () => void;
}

/**
 * Hashes passwords, at most one per core at a time, and leaves one core to everything else. The account or address
 * (`lanes.ts`) that stated the fewest wrong passwords lately goes next, and equal ones take turns. So a storm of guesses,
 * from whatever number of addresses, delays an ordinary login by one hash. After a wrong password, hashes are guesses:
 * they run one at a time, each with a rest behind it. Throws `rate_limited` (429) when too many requests of one account
 * or address are waiting, or when a request waited for 10 s. `cost` is for tests (ADR 0154).
 */
export function createPasswords(
  concurrency = Math.max(1, availableParallelism() - 1),
  rest: (ms: number) => Promise<unknown> = sleep,
  cost = OWASP,
): Passwords {
  const limits = {
    chargesWork: false,
    patienceMs: PATIENCE_MS,
    late: busy,
    mostWaiting: MAX_WAITING,
    crowded: busy,
  };
  const turns = createTenantTurns({ ...limits, slots: concurrency });
  const guesses = createTenantTurns({ ...limits, slots: 1 });
  const lane = () => currentLane() ?? 'none';
  const limited = <T>(work: () => Promise<T>) => {
    const mine = lane();
    const inTurn = () => turns.run(mine, work);
    return turns.recentMs(mine) < FORGIVEN_MS ? inTurn() : guesses.run(mine, () => withRest(inTurn, rest));
  };
  const make = (password: string) =>
    hash(password, { algorithm: Algorithm.Argon2id, parallelism: 1, ...cost });
  let dummy: Promise<string> | undefined;
  return {
    hash: (password) => limited(() => make(password)),
    matches: async (stored, password) => {
      const target = stored ?? (await (dummy ??= make('placeholder for unknown accounts')));
      const same = await limited(() => verify(target, password));
      return same && stored !== undefined;
    },
    failed() {
      for (const each of [turns, guesses]) each.charge(lane(), FAILURE_MS);
    },
  };
}

/** After work, waits as long as it took: guesses take half a core at most. */
async function withRest<T>(work: () => Promise<T>, rest: (ms: number) => Promise<unknown>): Promise<T> {
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    await rest(Math.min(performance.now() - beganAt, MOST_REST_MS));
  }
}

function busy(): MarketError {
  return new MarketError('rate_limited', { retryAfterSeconds: 2 });
}
