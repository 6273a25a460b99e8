/** Makes the days of the market log (docs/proof-of-liabilities.md). */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  LIABILITY_KINDS,
  type LiabilityKind,
  type LiabilityStatement,
  NO_LEAVES,
  NO_STATEMENT,
  sumOf,
  type SumNode,
} from '../../domain/ledger/market-log';
import type { Cipher } from '../../kit/crypto/cipher';
import { signJws } from '../../kit/crypto/jws';
import { levelsOf, rootOf } from '../../kit/ledger/sum-tree';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { Logger } from '../../logger';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { summarizeEntries } from '../../stores/ledger/ledger-digests';
import * as store from '../../stores/market-log/market-log';
import type { SigningKey, SigningKeys } from '../evidence/signing-keys';
import { leavesOf, LOG_TYPE, openSecret, secretContext } from './leaves';

export interface MarketLogDeps {
  pool: DbPool;
  keys: Pick<SigningKeys, 'active'>;
  cipher: Cipher;
  logger: Logger;
  /** Transactions per statement; default 10,000. */
  atOnce?: number;
}

const TRANSACTIONS_AT_ONCE = 10_000;

/**
 * Publishes the sealed days in order, each once, including missed days, from the last one that was sealed when the log
 * began. A day is made in many short transactions: its entries are added to the balances in pieces, then each bucket of
 * accounts gets its tree. Several processes may call it, and one that ended halfway is continued. Returns how many days
 * were published.
 */
export function createMarketLog(deps: MarketLogDeps) {
  const { pool, keys, logger } = deps;
  return async function publish(): Promise<number> {
    if ((await store.readDueDay(pool)) === undefined) return 0;
    const key = await keys.active();
    for (let published = 0; ; await nextTurn()) {
      const done = await withTransaction(pool, (tx) => step(tx, key, deps));
      if (done === 'nothing') return published;
      if (done === 'published') {
        published += 1;
        logger.info('published a day of the market log');
      }
    }
  };
}

type Step = 'nothing' | 'a part' | 'published';

/** The next small step of the day that is being made. */
async function step(tx: Db, key: SigningKey, deps: MarketLogDeps): Promise<Step> {
  const { cipher, atOnce = TRANSACTIONS_AT_ONCE } = deps;
  if (!(await store.lockLog(tx))) return 'nothing';
  const work = await store.readWork(tx);
  if (!work || work.isPublished) return begin(tx, cipher);
  if (work.readTo < work.untilId) {
    await summarizeEntries(tx);
    await store.readEntries(tx, work, atOnce);
    return 'a part';
  }
  if (work.nextBucket <= (await store.readLastBucket(tx))) {
    await makeBucket(tx, work, cipher);
    return 'a part';
  }
  await publishDay(tx, work.day, key);
  return 'published';
}

async function begin(tx: Db, cipher: Cipher): Promise<Step> {
  const day = await store.readDueDay(tx);
  if (day === undefined) return 'nothing';
  await store.beginDay(tx, day, await cipher.seal(randomBytes(32), secretContext(day)));
  return 'a part';
}

/** Adds the root of a bucket, of each kind, to the nodes of the day. */
async function makeBucket(tx: Db, { day, nextBucket }: store.LogWork, cipher: Cipher): Promise<void> {
  const balances = await store.readBucket(tx, nextBucket, day);
  if (balances.length > 0) {
    const secret = await openSecret(tx, cipher, day);
    const nodes: store.LogNode[] = [];
    for (const kind of LIABILITY_KINDS) {
      const root = rootOf(levelsOf(leavesOf(balances, { day, kind, secret }).level));
      if (root) nodes.push({ ...root, kind, level: 0, position: nextBucket });
    }
    await store.insertNodes(tx, day, nodes);
  }
  await store.moveToBucket(tx, nextBucket + 1);
}

/** Adds the nodes above the buckets of a kind, and returns the root. */
async function makeTop(tx: Db, day: string, kind: LiabilityKind): Promise<SumNode> {
  const levels = levelsOf(await store.readBucketNodes(tx, day, kind));
  const above = levels
    .slice(1)
    .flatMap((level, n) => [...level].map(([position, node]) => ({ ...node, kind, level: n + 1, position })));
  await store.insertNodes(tx, day, above);
  return rootOf(levels) ?? NO_LEAVES;
}

async function publishDay(tx: Db, day: string, key: SigningKey): Promise<void> {
  const owed = {} as LiabilityStatement['owed'];
  for (const kind of LIABILITY_KINDS) {
    const { units, hash } = await makeTop(tx, day, kind);
    owed[kind] = { units, root_sha256: hash };
  }
  const terms: LiabilityStatement = {
    format: 1,
    day,
    owed,
    service: await store.readService(tx),
    ledger_sha256: await store.readDigestOf(tx, day),
    previous_sha256: (await store.readLastDay(tx))?.statementSha256 ?? NO_STATEMENT,
  };
  if (sumOf(terms) !== 0)
    throw new Error(`the balances of ${day} sum to ${sumOf(terms)} units, and not to 0`);
  const statement = canonicalJson(terms);
  await store.insertDay(tx, {
    day,
    statement,
    statementSha256: sha256Hex(statement),
    previousSha256: terms.previous_sha256,
    kid: key.kid,
    seal: signJws(statement, key, { typ: LOG_TYPE }),
  });
  await store.forgetDaysBefore(tx, day);
}
