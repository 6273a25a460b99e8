/** Notices without an event: low wallets, keys that expire, logins from elsewhere. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** Writes up to `most` notices of each kind that are due. */
export async function writeAlerts(db: Db, most: number): Promise<void> {
  await db.query('SELECT account_alerts($1)', [most]);
}

/** Notes a login from a network; a new one becomes a notice. */
export async function noteLogin(db: Db, userId: string, network: string): Promise<void> {
  await db.query('SELECT login_noted($1, $2)', [userId, network]);
}

/** Below which balance of its wallet, in units, an account is notified; null: never. */
export async function readBalanceAlert(db: Db, userId: string): Promise<number | null> {
  const { rows } = await db.query<{ below_units: string }>(
    'SELECT below_units FROM balance_alerts WHERE user_id = $1',
    [userId],
  );
  return rows[0] ? unitsFromDatabase(rows[0].below_units) : null;
}

export async function writeBalanceAlert(db: Db, userId: string, belowUnits: number | null): Promise<void> {
  if (belowUnits === null) {
    await db.query('DELETE FROM balance_alerts WHERE user_id = $1', [userId]);
    return;
  }
  await db.query(
    `INSERT INTO balance_alerts (user_id, below_units) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET below_units = excluded.below_units, told_at = NULL`,
    [userId, belowUnits],
  );
}
