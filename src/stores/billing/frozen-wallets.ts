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

export interface Freeze {
  since: Date;
  /** `debt`: a payment was taken back, and the freeze ends when top-ups have paid the debt. */
  cause: 'operator' | 'debt';
}

/** Why a wallet is frozen: an operator before a debt, which ends by itself. Undefined if it is not frozen. */
export async function readFreeze(db: Db, userId: string): Promise<Freeze | undefined> {
  const { rows } = await db.query<Freeze>(
    `SELECT min(frozen_at) AS since, max(cause) AS cause FROM frozen_wallets WHERE user_id = $1 HAVING count(*) > 0`,
    [userId],
  );
  return rows[0];
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
      'Your wallet is frozen: by an operator, or until top-ups have paid the debt of a payment that was taken back. `wallet_frozen` of GET /v1/auth/security says which.',
  });
}
