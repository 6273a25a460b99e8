/** What owners and visitors read of the market log. */
import { MarketError } from '../../domain/errors';
import { LIABILITY_KINDS, type LiabilityKind, type PathNode } from '../../domain/ledger/market-log';
import type { Cipher } from '../../kit/crypto/cipher';
import { levelsOf, pathOf } from '../../kit/ledger/sum-tree';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/market-log/market-log';
import { leavesOf, openSecret } from './leaves';

export interface ProvenBalance {
  kind: LiabilityKind;
  units: number;
  blind: string;
  /** From the leaf up. */
  path: PathNode[];
}

export interface BalanceProof {
  day: store.LogDay;
  owner: string;
  balances: ProvenBalance[];
}

export function createMarketLogReads({ pool, cipher }: { pool: DbPool; cipher: Cipher }) {
  return {
    days: (page: { beforeDay?: string | undefined; limit: number }) => store.listDays(pool, page),

    /**
     * The leaf and path of each balance that the owner had at the end of the last published day. Reads the bucket of
     * the owner's accounts, and one node of each level above it. Throws 404 before the first day.
     */
    proofOf(owner: string): Promise<BalanceProof> {
      return withTransaction(pool, async (tx) => {
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const day = await store.readLastDay(tx);
        if (!day)
          throw new MarketError('not_found', { message: 'No day of the market log is published yet.' });
        return { day, owner, balances: await balancesOf(tx, cipher, day.day, owner) };
      });
    },
  };
}

export type MarketLogReads = ReturnType<typeof createMarketLogReads>;

async function balancesOf(tx: Db, cipher: Cipher, day: string, owner: string): Promise<ProvenBalance[]> {
  const bucket = await store.readOwnBucket(tx, owner);
  if (bucket === undefined) return [];
  const balances = await store.readBucket(tx, bucket, day);
  const secret = await openSecret(tx, cipher, day);
  const proven: ProvenBalance[] = [];
  for (const kind of LIABILITY_KINDS) {
    if (!balances.some((each) => each.owner === owner && each.kind === kind)) continue;
    const { level, open } = leavesOf(balances, { day, kind, secret });
    const own = open.find((leaf) => leaf.owner === owner);
    const [position] = [...level].find(([, node]) => node === own) ?? [];
    if (!own || position === undefined) throw new Error(`no leaf of ${owner} in ${kind}`);
    const siblings = await store.readSiblings(tx, day, kind, bucket);
    const above = siblings.map(({ position: at, units, hash }) => ({
      side: at % 2 === 0 ? ('left' as const) : ('right' as const),
      units,
      hash,
    }));
    const path = [...pathOf(position, levelsOf(level)), ...above];
    proven.push({ kind, units: own.units, blind: own.blind, path });
  }
  return proven;
}
