/** Credits of the history: top-ups, the fee of sellers, bonds, and wallets that are filled in time. */
import { randomBytes } from 'node:crypto';
import type { Currency } from '../../../domain/billing/billing';
import { depositBond } from '../../../stores/bonds/bonds';
import { insertTopup } from '../../../stores/billing/topups';
import { completeTopups, payRegistration } from '../../../stores/ledger/ledger-moves';
import type { Past } from './past';
import { pastId } from './random';

/** Smallest units of the currency for one credit. */
const MINOR_PER_CREDIT = { INR: 100, USD: 1 } satisfies Record<Currency, number>;
/** A wallet below it is filled again, by so much. */
const LEAST_CREDITS = 250;
const REFILL_CREDITS = 500;

export interface PastTopup {
  userId: string;
  credits: number;
  currency: Currency;
  /** Says in the row that the top-up belongs to the history. */
  key: string;
}

export const newTrace = () => randomBytes(16).toString('hex');

/** Buys credits at the time of the clock. */
export async function topUpInThePast(past: Past, atMs: number, topup: PastTopup): Promise<void> {
  const topupId = pastId('top', atMs);
  await insertTopup(past.pool, {
    topupId,
    userId: topup.userId,
    amountMinor: topup.credits * MINOR_PER_CREDIT[topup.currency],
    currency: topup.currency,
    amountUnits: topup.credits * 100,
    provider: 'sandbox',
    idempotencyKey: topup.key,
    traceId: newTrace(),
  });
  await completeTopups(past.pool, [topupId]);
}

/** Pays the fee of a seller and deposits a bond, from credits that are bought first. */
export async function beginToSell(
  past: Past,
  atMs: number,
  seller: { userId: string; feeCredits: number; bondCredits: number },
): Promise<void> {
  const { userId, feeCredits, bondCredits } = seller;
  const credits = feeCredits + bondCredits;
  await topUpInThePast(past, atMs, { userId, credits, currency: 'USD', key: 'demonstration/begin' });
  await payRegistration(past.pool, [{ userId, traceId: newTrace() }]);
  await deposit(past, atMs, userId, bondCredits);
}

export async function deposit(past: Past, atMs: number, userId: string, credits: number): Promise<void> {
  const outcome = await depositBond(past.pool, {
    id: pastId('bdp', atMs),
    developerUserId: userId,
    units: credits * 100,
    traceId: newTrace(),
    asOf: new Date(atMs),
  });
  if (outcome !== 'deposited') throw new Error(`a bond of the history is not deposited: ${outcome}`);
}

/** Fills the wallets that run low, as careful buyers do. */
export async function refill(
  past: Past,
  atMs: number,
  buyers: readonly { userId: string; currency: Currency }[],
): Promise<void> {
  const day = new Date(atMs).toISOString().slice(0, 10);
  for (const { userId, currency } of buyers) {
    if ((await walletCredits(past, userId)) >= LEAST_CREDITS) continue;
    const topup = { userId, credits: REFILL_CREDITS, currency, key: `demonstration/${day}` };
    await topUpInThePast(past, atMs, topup);
  }
}

export async function walletCredits({ client }: Past, userId: string): Promise<number> {
  const { rows } = await client.query<{ units: string }>(
    `SELECT balance_units AS units FROM accounts WHERE user_id = $1 AND kind = 'wallet'`,
    [userId],
  );
  return Number(rows[0]?.units ?? 0) / 100;
}
