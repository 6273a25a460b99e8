import { MarketError } from '../../domain/errors';
import { onlyRow, type Db } from '../db';

/** Wallets frozen by operators or for a debt (`migrations/0008_billing.sql`): no calls and no withdrawals. */
export async function readFrozenSince(db: Db, userId: string): Promise<Date | null> {
  const { rows } = await db.query<{ frozen_at: Date | null }>(
    'SELECT min(frozen_at) AS frozen_at FROM frozen_wallets WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.frozen_at ?? null;
}

/**
 * Freezes or unfreezes a wallet for an operator, after calls that are being accepted. Returns whether this changed
 * anything.
 */
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
    message:
      'Your wallet is frozen. Pay the debt of a refunded payment by a top-up, or contact the operator of the marketplace.',
  });
}
