/** The leaves of a bucket, which only the secret of their day can make. */
import type { LiabilityKind, SumNode } from '../../domain/ledger/market-log';
import type { Cipher, SealContext } from '../../kit/crypto/cipher';
import { blindOf, leafHash, leavesInOrder, type Level } from '../../kit/ledger/sum-tree';
import type { Db } from '../../stores/db';
import { type LogBalance, readSealedSecret } from '../../stores/market-log/market-log';

/** `typ` of the seals, so that no other signed thing can be passed off as a statement. */
export const LOG_TYPE = 'market-log';

/** The sealing context of the secret of a day. */
export function secretContext(day: string): SealContext {
  return { purpose: 'market-log', day };
}

export async function openSecret(db: Db, cipher: Cipher, day: string): Promise<Buffer> {
  const sealed = await readSealedSecret(db, day);
  if (!sealed) throw new Error(`the market log has no secret of ${day}`);
  return cipher.unseal(sealed, secretContext(day));
}

interface OpenLeaf extends SumNode {
  owner: string;
  blind: string;
}

/** The leaves of one kind in a bucket, with their places in its tree. */
export function leavesOf(
  balances: readonly LogBalance[],
  { day, kind, secret }: { day: string; kind: LiabilityKind; secret: Buffer },
): { level: Level; open: OpenLeaf[] } {
  const open = balances
    .filter((balance) => balance.kind === kind)
    .map(({ owner, units }) => {
      const blind = blindOf(secret, kind, owner);
      return { owner, units, blind, hash: leafHash({ day, kind, owner, units, blind }) };
    });
  return { level: leavesInOrder(open), open };
}
