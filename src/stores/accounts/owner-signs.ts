/** Signs by which accounts are known to belong to one hand (docs/related-accounts.md). */
import type { Db } from '../db';

/** Notes the device from which an account logged in; `device` is the random id that its browser keeps. */
export async function noteDevice(db: Db, userId: string, device: string): Promise<void> {
  await db.query(`SELECT owner_sign_note('device', $1, $2)`, [device, userId]);
}

/** Notes the address on a chain to which an account is paid. */
export async function noteChainAddress(db: Db, userId: string, address: string): Promise<void> {
  await db.query(`SELECT owner_sign_note('payment_method', $1, $2)`, [
    `chain ${address.toLowerCase()}`,
    userId,
  ]);
}

/** Notes the card of a paid top-up, by the fingerprint that its provider gives to the number of the card. */
export async function noteCard(db: Db, topupId: string, fingerprint: string): Promise<void> {
  await db.query(
    `SELECT owner_sign_note('payment_method', t.provider || ' ' || $2, t.user_id) FROM topups t
      WHERE t.topup_id = $1 AND t.status = 'succeeded'`,
    [topupId, fingerprint],
  );
}

/** Looks for circles of money through up to `most` changed sums. Returns how many it looked at. */
export async function findCircles(db: Db, most: number): Promise<number> {
  const { rows } = await db.query<{ looked: number }>('SELECT owner_circles_find($1) AS looked', [most]);
  return rows[0]?.looked ?? 0;
}
