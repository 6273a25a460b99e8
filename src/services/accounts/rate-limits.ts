import type { Config } from '../../config';
import { WIDE_FACTOR, widerNetwork } from '../../kit/client-address';
import {
  addPoints,
  deleteEndedCounters,
  readCounters,
  type Counter,
  type Hit,
} from '../../stores/accounts/rate-limits';
import type { Db } from '../../stores/db';
import { BoundedMap } from '../../kit/bounded-map';

/**
 * Rate limits that add no latency to requests. Every process counts in memory. Twice a second it adds its counts to the
 * shared counters in one statement and reads the counts of the other processes. A limit is therefore exact within a
 * process, holds across processes with half a second of slack, and keeps working without Postgres.
 */
export interface RateLimits {
  /** Counts a request, unless the key has used up its points. A refused request is not counted. */
  consume: (key: string, limit: Limit) => Quota;
  /** Returns the same without counting. */
  peek: (key: string, limit: Limit) => Quota;
  flush: () => Promise<void>;
  close: () => Promise<void>;
}

export interface Limit {
  points: number;
  windowMs: number;
}

export interface Quota {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** End of the window, in ms since the epoch. */
  resetAt: number;
}

/** The quota of one of the limits that a request counts against. */
export interface PolicyQuota extends Quota {
  policy: string;
  windowMs: number;
}

/** The quota of the limit that decides, and those of all limits of the request, in their order. */
export interface Verdict extends Quota {
  policies: readonly PolicyQuota[];
}

/** What a request counts against. */
export interface LimitedKey {
  /** The name of the limit for clients; the same for every account, key or address. */
  policy: string;
  key: string;
  limit: Limit;
}

interface Bucket {
  endsAt: number;
  windowMs: number;
  /** Points of all processes, as of the last flush. */
  shared: number;
  /** This process's points: those being sent to Postgres, and those not sent yet. */
  sending: number;
  pending: number;
}

export interface RateLimitsDeps {
  db: Db;
  onError: (error: unknown) => void;
  flushMs?: number;
}

const MAX_BUCKETS = 100_000;
const MAX_HITS_PER_FLUSH = 5_000;
/** Ended counters that are deleted at a time; more of them are deleted with the next flushes. */
const MAX_DELETED = 1_000;
const CLEAN_EVERY_MS = 5 * 60_000;

export function createRateLimits({ db, onError, flushMs = 500 }: RateLimitsDeps): RateLimits {
  const buckets = new BoundedMap<string, Bucket>(MAX_BUCKETS);
  let running: Promise<void> | undefined;
  let cleanedAt = Date.now();

  const send = async () => {
    const hits = collectHits(buckets);
    if (hits.length === 0) return;
    try {
      receive(buckets, await addPoints(db, hits));
      if (Date.now() - cleanedAt < CLEAN_EVERY_MS) return;
      if ((await deleteEndedCounters(db, MAX_DELETED)) < MAX_DELETED) cleanedAt = Date.now();
    } catch (error) {
      onError(error);
      keepOwn(buckets, hits);
    }
  };
  const flush = () => (running ??= send().finally(() => (running = undefined)));
  const timer = setInterval(() => void flush(), flushMs).unref();

  return {
    consume(key, limit) {
      const bucket = bucketOf(buckets, key, limit);
      const quota = quotaOf(bucket, limit);
      if (!quota.allowed) return quota;
      bucket.pending += 1;
      return { ...quota, remaining: quota.remaining - 1 };
    },
    peek: (key, limit) => quotaOf(buckets.get(key) ?? newBucket(limit), limit),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** The name of the counter of an account, a key or an address under a limit. */
export const counterOf = (policy: string, id: string): string => `${policy}/${id}`;

/** How many requests may be made in a minute. */
export interface KeyLimits {
  requests: number;
  /** Among them. */
  invocations: number;
}

/** The limits of each key, by the settings. */
export const keyLimitsOf = (
  config: Pick<Config, 'RATE_LIMIT_PER_KEY' | 'RATE_LIMIT_KEY_INVOCATIONS'>,
): KeyLimits => ({
  requests: config.RATE_LIMIT_PER_KEY,
  invocations: config.RATE_LIMIT_KEY_INVOCATIONS,
});

/** A limit of a key, and what counts against it in the minute that runs. */
export interface KeyRate {
  perMinute: number;
  used: number;
}

export interface KeyRates {
  requests: KeyRate;
  invocations: KeyRate;
}

/** Reads what keys have used of their limits, as all processes have shared it: at most half a second ago. */
export async function readKeyRates(
  db: Db,
  keyIds: readonly string[],
  limits: KeyLimits,
): Promise<(keyId: string) => KeyRates> {
  const names = (keyId: string) => ({
    requests: counterOf('key', keyId),
    invocations: counterOf('key-invocations', keyId),
  });
  const counters = await readCounters(
    db,
    keyIds.flatMap((keyId) => Object.values(names(keyId))),
  );
  const rate = (name: string, perMinute: number) => ({
    perMinute,
    used: Math.min(perMinute, counters.get(name)?.points ?? 0),
  });
  return (keyId) => ({
    requests: rate(names(keyId).requests, limits.requests),
    invocations: rate(names(keyId).invocations, limits.invocations),
  });
}

/** The limits of a client's network: of its /64 and, with ten times the points, of the /48 around it. */
export function limitsOfNetwork(name: string, network: string, limit: Limit): LimitedKey[] {
  const wide = widerNetwork(network);
  const own = { policy: name, key: `${name}/${network}`, limit };
  if (wide === undefined) return [own];
  const wider = { ...limit, points: limit.points * WIDE_FACTOR };
  return [own, { policy: `${name}-network`, key: `${name}/${wide}`, limit: wider }];
}

/**
 * Counts a request against all keys, or against none if one of them has no points left, so that an exhausted key
 * does not use up the points of its account.
 */
export function consumeAll(
  rateLimits: Pick<RateLimits, 'consume' | 'peek'>,
  keys: readonly LimitedKey[],
): Verdict {
  const before = peekAll(rateLimits, keys);
  return before.allowed ? verdictOf(keys, ({ key, limit }) => rateLimits.consume(key, limit)) : before;
}

/** Returns the same without counting. */
export function peekAll(rateLimits: Pick<RateLimits, 'peek'>, keys: readonly LimitedKey[]): Verdict {
  return verdictOf(keys, ({ key, limit }) => rateLimits.peek(key, limit));
}

function verdictOf(keys: readonly LimitedKey[], quotaOfKey: (key: LimitedKey) => Quota): Verdict {
  const policies = keys.map((one) => ({
    ...quotaOfKey(one),
    policy: one.policy,
    windowMs: one.limit.windowMs,
  }));
  const [first] = [...policies].sort(tighter);
  if (!first) throw new Error('a request must count against at least one limit');
  const { allowed, limit, remaining, resetAt } = first;
  return { allowed, limit, remaining, resetAt, policies };
}

/** Limits without points come first, the one that ends last before the others; then the one with fewest points. */
function tighter(a: Quota, b: Quota): number {
  if (!a.allowed && !b.allowed) return b.resetAt - a.resetAt;
  return Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining;
}

function newBucket({ windowMs }: Limit): Bucket {
  return { endsAt: Date.now() + windowMs, windowMs, shared: 0, sending: 0, pending: 0 };
}

function bucketOf(buckets: Map<string, Bucket>, key: string, limit: Limit): Bucket {
  const known = buckets.get(key);
  if (known && known.endsAt > Date.now()) return known;
  const bucket = newBucket(limit);
  buckets.set(key, bucket);
  return bucket;
}

function quotaOf(bucket: Bucket, { points, windowMs }: Limit): Quota {
  const ended = bucket.endsAt <= Date.now();
  const used = ended ? 0 : bucket.shared + bucket.sending + bucket.pending;
  return {
    allowed: used < points,
    limit: points,
    remaining: Math.max(0, points - used),
    resetAt: ended ? Date.now() + windowMs : bucket.endsAt,
  };
}

/** Takes the points to send. Ended buckets are deleted. */
function collectHits(buckets: Map<string, Bucket>): Hit[] {
  const hits: Hit[] = [];
  const now = Date.now();
  for (const [key, bucket] of buckets) {
    if (bucket.endsAt <= now) buckets.delete(key);
    else if (bucket.pending > 0 && hits.length < MAX_HITS_PER_FLUSH) {
      hits.push({ key, points: bucket.pending, windowMs: Math.max(1, Math.ceil(bucket.endsAt - now)) });
      bucket.sending = bucket.pending;
      bucket.pending = 0;
    }
  }
  return hits;
}

function receive(buckets: Map<string, Bucket>, counters: readonly Counter[]): void {
  for (const { key, points, endsInMs } of counters) {
    const bucket = buckets.get(key);
    if (!bucket) continue;
    bucket.shared = points;
    bucket.sending = 0;
    bucket.endsAt = Date.now() + endsInMs;
  }
}

/** Keeps the points that could not be sent to Postgres, so that they still count in this process. */
function keepOwn(buckets: Map<string, Bucket>, hits: readonly Hit[]): void {
  for (const { key } of hits) {
    const bucket = buckets.get(key);
    if (!bucket) continue;
    bucket.shared += bucket.sending;
    bucket.sending = 0;
  }
}
