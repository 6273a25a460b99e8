import { onlyRow, type Db } from '../db';

/** Reads the platform's fee, in percent, for versions that go live now. */
export async function readFeePercent(db: Db): Promise<number> {
  const result = await db.query<{ fee_percent: number }>('SELECT fee_percent FROM platform_settings');
  return onlyRow(result).fee_percent;
}

/**
 * Writes the platform's fee and returns the earlier one. Locks the row, so that the audit log names what was replaced.
 */
export async function replaceFeePercent(tx: Db, percent: number): Promise<number> {
  const result = await tx.query<{ fee_percent: number }>(
    'SELECT fee_percent FROM platform_settings FOR NO KEY UPDATE',
  );
  await tx.query('UPDATE platform_settings SET fee_percent = $1, updated_at = now()', [percent]);
  return onlyRow(result).fee_percent;
}
