import { availableParallelism } from 'node:os';
import { MarketError } from '../../domain/errors';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentLane } from '../concurrency/lanes';
import { createTenantTurns } from '../concurrency/tenant-turns';
import { createTenantThreads, type ThreadKind } from '../threads/tenant-threads';
import { workerFile } from '../threads/worker-file';
import { type HashCost, type HashTask, performHash } from './hash-task';
import { BoundedMap } from '../bounded-map';

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
const MOST_PROVEN = 10_000;

const LIMITS = {
  chargesWork: false,
  patienceMs: PATIENCE_MS,
  late: busy,
  mostWaiting: MAX_WAITING,
  crowded: busy,
};

/**
 * Guesses run one at a time. Each guess is followed by a pause as long as the guess took, so that guesses use at most
 * half a core.
 */
const GUESSES: ThreadKind<HashTask, string | boolean> = {
  name: 'guesses',
  script: workerFile(__dirname, 'hash-worker.js'),
  threads: 1,
  memory: { maxOldGenerationSizeMb: 32 },
  deadlineMs: 5_000,
  turns: LIMITS,
  // A password is checked in any case: in the pool of Node.js, as for callers who do not guess.
  lost: (_loss, task) => performHash(task),
};

export interface Passwords {
  hash: (password: string) => Promise<string>;
  /**
   * Compares a password with a hash, in the form of `opaqueString`. With an undefined hash it takes the same time and
   * returns false, so that timing does not reveal whether an account exists.
   */
  matches: (hash: string | undefined, password: string) => Promise<boolean>;
  /** Reports wrong credentials: for some time, the account or address waits behind those without failures. */
  failed: () => void;
}

/**
 * Hashes passwords, at most one per core at a time, and leaves one core to everything else. An account or address
 * (`lanes.ts`) whose last password was right goes first; then that with the fewest wrong passwords lately; equal ones
 * take turns. So a storm of guesses, from whatever number of addresses, delays an ordinary login by one hash. After a
 * wrong password, hashes are guesses: they run one at a time in a thread of a lower priority, each with a rest behind
 * it (docs/internals/queues.md#password-guesses). Throws `rate_limited` (429) when too many requests of one account or
 * address are waiting, or when a request waited for 10 s. `cost` is for tests (docs/internals/tests.md#cost).
 */
export function createPasswords(
  concurrency = Math.max(1, availableParallelism() - 1),
  rest: (ms: number) => Promise<unknown> = sleep,
  cost = OWASP,
): Passwords {
  const proven = createProven();
  const turns = createTenantTurns({ ...LIMITS, slots: concurrency, isPreferred: proven.has });
  const guesses = createTenantThreads({
    ...GUESSES,
    after: (tookMs) => rest(Math.min(tookMs, MOST_REST_MS)),
  });
  const lane = () => currentLane() ?? 'none';
  const limited = (task: HashTask) => {
    const mine = lane();
    return turns.recentMs(mine) < FORGIVEN_MS
      ? turns.run(mine, () => performHash(task))
      : guesses.ask(mine, task);
  };
  const make = (password: string): HashTask => ({ password: opaqueString(password), cost });
  let dummy: Promise<string | boolean> | undefined;
  return {
    hash: async (password) => String(await limited(make(password))),
    matches: async (stored, password) => {
      const target =
        stored ?? String(await (dummy ??= performHash(make('placeholder for unknown accounts'))));
      const prepared = opaqueString(password);
      const same =
        (await limited({ password: prepared, stored: target })) === true ||
        // Hashes of earlier versions are of the text as it was typed.
        (prepared !== password && (await limited({ password, stored: target })) === true);
      const isRight = same && stored !== undefined;
      if (isRight) proven.add(lane());
      return isRight;
    },
    failed() {
      proven.remove(lane());
      for (const each of [turns, guesses]) each.charge(lane(), FAILURE_MS);
    },
  };
}

/**
 * The form of a password that is hashed: spaces of other scripts become spaces, and letters are composed (OpaqueString,
 * RFC 8265, section 4.2), because the same password differs in bytes between keyboards.
 */
export function opaqueString(password: string): string {
  return password.replaceAll(/\p{Zs}/gu, ' ').normalize('NFC');
}

/** The accounts and addresses whose last password was right, the most recent ones. */
function createProven() {
  const lanes = new BoundedMap<string, true>(MOST_PROVEN);
  return {
    has: (lane: string) => lanes.has(lane),
    add: (lane: string) => void lanes.set(lane, true),
    remove: (lane: string) => void lanes.delete(lane),
  };
}

function busy(): MarketError {
  return new MarketError('rate_limited', { retryAfterSeconds: 2 });
}
