import { createHash } from 'node:crypto';
import { type ErrorCode, MarketError } from '../../domain/errors';
import { WIDE_FACTOR, widerNetwork } from '../../kit/client-address';
import type { Db } from '../../stores/db';
import { addPoints, deleteCounter, readCounters } from '../../stores/accounts/rate-limits';

export interface LoginGuard {
  /**
   * Runs a login attempt. `work` returns undefined, or throws `invalid_credentials`, for wrong credentials. After too
   * many failures for the same email and address, throws `rate_limited` without running it. Attempts for the same pair
   * run one after another, so that parallel guesses cannot bypass the count. After too many failures for the email from
   * all addresses, throws it for addresses from which the account is not logged in (ADR 0193).
   */
  attempt: <T>(email: string, address: string, work: () => Promise<T | undefined>) => Promise<T | undefined>;
  /**
   * Runs an attempt of a signed-in account to state its own password, in the way of `attempt`. Failures count for the
   * account from every address, because its session may be in the wrong hands.
   */
  confirm: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
  /**
   * Runs a sign-up. After ten answers `email_taken` to an address within an hour, throws `rate_limited` without running
   * it, so that listing the addresses of accounts is dear. Sign-ups of one address run one after another.
   */
  signUp: <T>(address: string, work: () => Promise<T>) => Promise<T>;
  /** Forgets the failures for an email, after its owner has set a new password by mail. */
  forget: (email: string) => Promise<void>;
}

export interface LoginGuardDeps {
  db: Db;
  /** Failures for an email from one address within the window. */
  failures: number;
  windowMs: number;
  /** Whether the account of an email has a session that began at the address. */
  isAtHome: (email: string, address: string) => Promise<boolean>;
}

interface Rule {
  key: string;
  most: number;
  windowMs: number;
  message: string;
  /** Undefined if the rule has no exception. */
  isExempt?: () => Promise<boolean>;
}

const HOUR_MS = 3_600_000;
/** So many times the failures of one address are those of all addresses together, for one email. */
const EVERYWHERE_FACTOR = 10;
const MOST_TAKEN = 10;
const WRONG_PASSWORDS = 'Too many wrong passwords. Wait and retry.';
const GUESSES =
  'Too many wrong passwords for this account, from many addresses. Log in from an address where you are logged in already, reset the password by mail, or wait.';
const TAKEN =
  'Too many sign-ups from your address used the email of an existing account. Log in with that account, or wait.';

export function createLoginGuard({ db, failures, windowMs, isAtHome }: LoginGuardDeps): LoginGuard {
  const last = new Map<string, Promise<unknown>>();

  async function inTurn<T>(rules: [Rule, ...Rule[]], code: ErrorCode, work: () => Promise<T>): Promise<T> {
    const [{ key }] = rules;
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => guarded(db, rules, code, work));
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  }

  return {
    attempt(email, address, work) {
      const pair = { most: failures, windowMs, message: WRONG_PASSWORDS };
      const everywhere = { most: failures * EVERYWHERE_FACTOR, windowMs: HOUR_MS, message: GUESSES };
      const rules: [Rule, Rule] = [
        { ...pair, key: `login/${address}/${digest(email)}` },
        { ...everywhere, key: everywhereKey(email), isExempt: () => isAtHome(email, address) },
      ];
      return inTurn(rules, 'invalid_credentials', work);
    },
    confirm(userId, work) {
      const own = { key: `password/${userId}`, most: failures, windowMs, message: WRONG_PASSWORDS };
      return inTurn([own], 'invalid_credentials', work);
    },
    signUp(address, work) {
      const rule = { windowMs: HOUR_MS, message: TAKEN };
      const wide = widerNetwork(address);
      const wider = { ...rule, key: `email-taken/${wide}`, most: MOST_TAKEN * WIDE_FACTOR };
      const own = { ...rule, key: `email-taken/${address}`, most: MOST_TAKEN };
      return inTurn(wide === undefined ? [own] : [own, wider], 'email_taken', work);
    },
    forget: (email) => deleteCounter(db, everywhereKey(email)),
  };
}

const everywhereKey = (email: string) => `guesses/${digest(email)}`;

/** Whatever text a client sends becomes a short key. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

async function guarded<T>(
  db: Db,
  rules: readonly Rule[],
  code: ErrorCode,
  work: () => Promise<T>,
): Promise<T> {
  const keys = rules.map(({ key }) => key);
  const counters = await readCounters(db, keys);
  for (const { key, most, message, isExempt } of rules) {
    const counter = counters.get(key);
    if (!counter || counter.points < most || (await isExempt?.())) continue;
    const retryAfterSeconds = Math.max(1, Math.ceil(counter.endsInMs / 1_000));
    throw new MarketError('rate_limited', { message, retryAfterSeconds });
  }
  const hits = rules.map(({ key, windowMs }) => ({ key, points: 1, windowMs }));
  try {
    const result = await work();
    if (result === undefined) await addPoints(db, hits);
    return result;
  } catch (error) {
    if (error instanceof MarketError && error.code === code) await addPoints(db, hits);
    throw error;
  }
}
