import { MarketError } from '../../domain/errors';
import { onlyRow, type Db } from '../db';

/** Wallets frozen by operators (`migrations/0008_billing.js`). They pay for no calls and allow no withdrawals. */
export async function readFrozenSince(db: Db, userId: string): Promise<Date | null> {
  const { rows } = await db.query<{ frozen_at: Date }>(
    'SELECT frozen_at FROM frozen_wallets WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.frozen_at ?? null;
}

/** Freezes or unfreezes a wallet, after calls that are being accepted. Returns whether this changed anything. */
export async function setWalletFrozen(tx: Db, userId: string, freeze: boolean): Promise<boolean> {
  const result = await tx.query<{ changed: boolean }>('SELECT wallet_set_frozen($1, $2) AS changed', [
    userId,
    freeze,
  ]);
  return onlyRow(result).changed;
}

/** Throws `forbidden` if the account's wallet is frozen. */
export async function requireThawed(db: Db, userId: string): Promise<void> {
  if ((await readFrozenSince(db, userId)) === null) return;
  throw new MarketError('forbidden', {
    message: 'Your wallet is frozen. Contact the operator of the marketplace.',
  });
}
