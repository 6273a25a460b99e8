/** Credits of the history: top-ups, the fee of sellers, bonds, and wallets that are filled in time. */
import { type FixedCurrency, topupUnits } from '../../../domain/billing/billing';
import { creditsToUnits, unitsFromDatabase, unitsToCredits } from '../../../domain/ledger/money';
import { newTraceId } from '../../../kit/ids/ids';
import { depositBond } from '../../../stores/bonds/bonds';
import { insertTopup } from '../../../stores/billing/topups';
import { completeTopups, payRegistration } from '../../../stores/ledger/ledger-moves';
import type { Past } from './past';
import { pastId } from './random';

/** A wallet below it is filled again, by so much. */
const LEAST_CREDITS = 250;
const REFILL_CREDITS = 500;
/** What the demonstration buyer has after the history. */
const LEFT_CREDITS = 500;

export interface PastTopup {
  userId: string;
  credits: number;
  currency: FixedCurrency;
  /** Says in the row that the top-up belongs to the history. */
  key: string;
}

/** Buys credits at the time of the clock. */
export async function topUpInThePast(past: Past, atMs: number, topup: PastTopup): Promise<void> {
  const topupId = pastId('top', atMs);
  const amountUnits = creditsToUnits(topup.credits);
  await insertTopup(past.pool, {
    topupId,
    userId: topup.userId,
    amountMinor: amountUnits / topupUnits(1, topup.currency),
    currency: topup.currency,
    amountUnits,
    provider: 'sandbox',
    taxMinor: 0,
    terms: null,
    exchange: null,
    savesMethod: false,
    idempotencyKey: topup.key,
    traceId: newTraceId(),
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
  await payRegistration(past.pool, [{ userId, traceId: newTraceId() }]);
  await deposit(past, atMs, userId, bondCredits);
}

export async function deposit(past: Past, atMs: number, userId: string, credits: number): Promise<void> {
  const outcome = await depositBond(past.pool, {
    id: pastId('bdp', atMs),
    developerUserId: userId,
    units: creditsToUnits(credits),
    traceId: newTraceId(),
    asOf: new Date(atMs),
  });
  if (outcome !== 'deposited') throw new Error(`a bond of the history is not deposited: ${outcome}`);
}

/** Fills the wallets that run low, as careful buyers do. */
export async function refill(
  past: Past,
  atMs: number,
  buyers: readonly { userId: string; currency: FixedCurrency }[],
): Promise<void> {
  const day = new Date(atMs).toISOString().slice(0, 10);
  for (const { userId, currency } of buyers) {
    if ((await walletCredits(past, userId)) >= LEAST_CREDITS) continue;
    const topup = { userId, credits: REFILL_CREDITS, currency, key: `demonstration/${day}` };
    await topUpInThePast(past, atMs, topup);
  }
}

/** Leaves the buyer a round number of credits, by a last top-up. */
export async function levelWallet(past: Past, userId: string, nowMs: number): Promise<void> {
  const credits = Math.ceil(LEFT_CREDITS - (await walletCredits(past, userId)));
  if (credits > 0)
    await topUpInThePast(past, nowMs, { userId, credits, currency: 'INR', key: 'demonstration/last' });
}

async function walletCredits({ client }: Past, userId: string): Promise<number> {
  const { rows } = await client.query<{ units: string }>(
    `SELECT balance_units AS units FROM accounts WHERE user_id = $1 AND kind = 'wallet'`,
    [userId],
  );
  return unitsToCredits(unitsFromDatabase(rows[0]?.units ?? 0));
}
