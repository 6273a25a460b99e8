import { MarketError } from '../../domain/errors';
import { onlyRow, type Db } from '../db';

/** Wallets that operators froze (migration 0942): they pay for no call, and nothing is withdrawn. */
export async function readFrozenSince(db: Db, userId: string): Promise<Date | null> {
  const { rows } = await db.query<{ frozen_at: Date }>(
    'SELECT frozen_at FROM frozen_wallets WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.frozen_at ?? null;
}

/** Freezes or thaws, after whatever is being accepted now; whether that changed anything. */
export async function setWalletFrozen(tx: Db, userId: string, freeze: boolean): Promise<boolean> {
  const result = await tx.query<{ changed: boolean }>('SELECT wallet_set_frozen($1, $2) AS changed', [
    userId,
    freeze,
  ]);
  return onlyRow(result).changed;
}

/** Throws 403 `forbidden` for an account whose wallet is frozen. */
export async function requireThawed(db: Db, userId: string): Promise<void> {
  if ((await readFrozenSince(db, userId)) === null) return;
  throw new MarketError('forbidden', { message: 'Your wallet is frozen.' });
}
