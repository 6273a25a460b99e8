import { setTimeout as sleep } from 'node:timers/promises';
import { digestTerms } from '../../domain/ledger/ledger-digest';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { signJws } from '../../kit/crypto/jws';
import type { Logger } from '../../logger';
import { type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/ledger/ledger-digests';
import type { SigningKey, SigningKeys } from '../evidence/signing-keys';

export interface LedgerDigestsDeps {
  pool: DbPool;
  keys: Pick<SigningKeys, 'active'>;
  logger: Logger;
  /** How long a run waits for older database transactions to end, in ms; default 5 s. */
  patienceMs?: number;
}

/** `typ` of the seals. It differs from that of evidence, so that evidence cannot be passed off as a seal. */
export const SEAL_TYPE = 'ledger-digest';

/** Transactions per statement. Each statement takes a fraction of a second. */
const TRANSACTIONS_AT_ONCE = 10_000;
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Seals the ended days of the ledger in order, each once, including missed days (docs/ledger.md#digests). Several
 * processes may call it. A day is sealed once it ended at least five minutes ago and every database transaction that
 * may have begun to write before this run has ended. If such a transaction stays open, the run seals nothing and the
 * next one tries again. Returns how many days were sealed.
 */
export function createLedgerDigests({ pool, keys, logger, patienceMs = PATIENCE_MS }: LedgerDigestsDeps) {
  return async function seal(): Promise<number> {
    if ((await store.readNextDay(pool)) === undefined) return 0;
    const fence = await store.readFence(pool);
    if (!(await waitFor(pool, fence, patienceMs))) {
      logger.warn(
        { since: fence.at },
        'cannot seal a day of the ledger yet: an older database transaction is still open',
      );
      return 0;
    }
    for (let sealed = 0; ; sealed += 1) {
      const day = await store.readNextDay(pool, fence.at);
      if (day === undefined || !(await sealDay(pool, day, await keys.active()))) return sealed;
      logger.info({ day }, 'sealed a day of the ledger');
    }
  };
}

async function waitFor(pool: DbPool, fence: store.Fence, patienceMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await store.hasPassed(pool, fence))) {
    if (performance.now() > giveUpAt) return false;
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

/** Seals one day. Returns false if another process is sealing, or has sealed this day. */
function sealDay(pool: DbPool, day: string, key: SigningKey): Promise<boolean> {
  return withTransaction(pool, async (tx) => {
    if (!(await store.lockDigests(tx)) || (await store.readNextDay(tx)) !== day) return false;
    await store.summarizeEntries(tx);
    const figures = await store.readFigures(tx, await store.idsOfDay(tx, day), TRANSACTIONS_AT_ONCE);
    const digest = { ...figures, day, previousSha256: await store.readLastDigest(tx) };
    const terms = canonicalJson(digestTerms(digest));
    const seal = signJws(terms, key, { typ: SEAL_TYPE });
    await store.insertDigest(tx, { ...digest, digestSha256: sha256Hex(terms), kid: key.kid, seal });
    return true;
  });
}
