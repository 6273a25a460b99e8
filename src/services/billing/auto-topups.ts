/**
 * Automatic top-ups (ADR 0307): below X credits, buy Y with a saved method, at most N a day and Z a month. A pending
 * top-up is written before its payment is requested, one per account at a time, and its id makes the payment idempotent
 * at the provider. So processes that try at once, and a process that dies in between, make one payment.
 */
import { type FieldProblem, MarketError } from '../../domain/errors';
import { monthProblems } from '../../domain/billing/auto-topup';
import { creditsToUnits } from '../../domain/ledger/money';
import { newId, newTraceId } from '../../kit/ids/ids';
import type { Logger } from '../../logger';
import type { Db } from '../../stores/db';
import * as store from '../../stores/billing/auto-topups';
import { endMethod, listMethods, readMethod, type SavedMethodRow } from '../../stores/billing/saved-methods';
import { updateTopupPayment } from '../../stores/billing/topups';
import { completeTopups } from '../../stores/ledger/ledger-moves';
import type { SavedPayment } from './providers/payment-provider';
import type { PaymentProviders } from './providers/payment-providers';
import { taxedAmount } from './taxes';
import type { TopupPrices } from './topup-prices';

export interface AutoTopupDeps {
  pool: Db;
  providers: PaymentProviders;
  prices: TopupPrices;
  /** Limits of one top-up, in paise, cents or pence. */
  limits: { minMinor: number; maxMinor: number };
  logger: Logger;
}

export interface AutoTopupChange {
  belowCredits: number;
  buyCredits: number;
  maxPerDay: number;
  maxMonthCredits: number;
  /** Undefined: the newest method of the account. */
  methodId: string | undefined;
}

/** Automatic top-ups of an account; `method` is undefined when it has ended. */
export interface AutoTopup extends store.AutoTopupRow {
  method: SavedMethodRow | undefined;
}

/** Accounts that one statement reads. */
const PAGE = 500;
/** How long a process may take to hand a top-up to the provider. */
const LEASE_MS = 60_000;
/** Providers forget an idempotency key after a day; an unsent top-up fails before. */
const GIVE_UP_MS = 12 * 3_600_000;
const POSTPONE_MS = 10 * 60_000;

export function createAutoTopups(deps: AutoTopupDeps) {
  const { pool, logger } = deps;

  async function read(userId: string): Promise<AutoTopup | undefined> {
    const found = await store.readAutoTopup(pool, userId);
    return found && { ...found, method: await readMethod(pool, userId, found.methodId) };
  }

  return {
    read,

    /**
     * Sets the automatic top-ups of an account; they begin anew, also after they stopped. Throws `invalid_state`
     * without a saved method, `not_found` for a method of another account, `validation_failed` for an amount outside
     * the limits.
     */
    async set(userId: string, change: AutoTopupChange): Promise<AutoTopup | undefined> {
      const month = monthProblems(change.buyCredits, change.maxMonthCredits);
      if (month.length > 0) throw new MarketError('validation_failed', { detail: month });
      const method = await methodOf(pool, userId, change.methodId);
      const wish = {
        methodId: method.methodId,
        belowUnits: creditsToUnits(change.belowCredits),
        buyUnits: creditsToUnits(change.buyCredits),
        maxPerDay: change.maxPerDay,
        maxMonthUnits: creditsToUnits(change.maxMonthCredits),
      };
      const detail = await amountProblems(deps, wish.buyUnits, method);
      if (detail.length > 0) throw new MarketError('validation_failed', { detail });
      await store.writeAutoTopup(pool, userId, wish);
      return read(userId);
    },

    /** Turns automatic top-ups off. A payment that is on its way arrives all the same. */
    end: (userId: string): Promise<void> => store.deleteAutoTopup(pool, userId),

    /** Tops up every account that is due. A loop of the worker calls it. One that fails does not hold up the others. */
    async run(): Promise<void> {
      let afterUserId: string | null = '';
      while (afterUserId !== null) {
        const page = { afterUserId, most: PAGE, giveUpMs: GIVE_UP_MS };
        const { due, lastUserId } = await store.readDueTopups(pool, page);
        for (const one of due) {
          await topUp(deps, one).catch((error: unknown) => {
            logger.warn(
              { err: error, userId: one.userId },
              'an automatic top-up could not be carried out yet',
            );
          });
        }
        afterUserId = lastUserId;
      }
    },
  };
}

export type AutoTopups = ReturnType<typeof createAutoTopups>;

async function methodOf(pool: Db, userId: string, methodId: string | undefined): Promise<SavedMethodRow> {
  if (methodId !== undefined) {
    const method = await readMethod(pool, userId, methodId);
    if (!method) throw new MarketError('not_found');
    return method;
  }
  const { rows } = await listMethods(pool, userId, { limit: 1 });
  if (rows[0]) return rows[0];
  throw new MarketError('invalid_state', {
    message:
      'The account has no saved payment method. Top up once with save_method, then set automatic top-ups.',
  });
}

/**
 * Whether so many credits are within the limits of a top-up in the currency of the method. Without a rate, they count
 * later.
 */
async function amountProblems(
  { prices, limits }: AutoTopupDeps,
  buyUnits: number,
  { currency }: SavedMethodRow,
): Promise<FieldProblem[]> {
  const minor = await prices.amountFor(buyUnits, currency);
  if (typeof minor === 'string' || (minor >= limits.minMinor && minor <= limits.maxMinor)) return [];
  const [relation, bound, type] =
    minor < limits.minMinor
      ? (['at least', limits.minMinor, 'minimum'] as const)
      : (['at most', limits.maxMinor, 'maximum'] as const);
  const msg = `must cost ${relation} ${(bound / 100).toFixed(2)} ${currency}, and costs ${(minor / 100).toFixed(2)}`;
  return [{ loc: ['body', 'buy_credits'], msg, type }];
}

async function topUp(deps: AutoTopupDeps, due: store.DueTopup): Promise<void> {
  const begun = due.unsent ? await resumed(deps, due.unsent) : await begin(deps, due);
  if (!begun) return;
  const ways = deps.providers.named(due.provider).saved;
  if (!ways) return store.failAutoTopup(deps.pool, begun.topupId, 'method_ended');
  await settle(deps, due, begun.topupId, await ways.charge({ ...begun, currency: due.currency }, due));
}

/** Writes the pending top-up. Undefined if the account is not due after all. */
async function begin({ pool, prices }: AutoTopupDeps, due: store.DueTopup) {
  const { userId, methodId, currency, buyUnits } = due;
  const amountMinor = await prices.amountFor(buyUnits, currency);
  const price = typeof amountMinor === 'string' ? amountMinor : await prices.price(amountMinor, currency);
  if (typeof amountMinor === 'string' || typeof price === 'string') {
    await store.postponeAutoTopup(pool, userId, POSTPONE_MS);
    return undefined;
  }
  const topupId = newId('top');
  const taxed = await taxedAmount(pool, { userId, netMinor: amountMinor });
  const terms = { userId, methodId, topupId, price, traceId: newTraceId(), leaseMs: LEASE_MS, ...taxed };
  const outcome = await store.beginAutoTopup(pool, terms);
  return outcome === 'begun' ? { topupId, amountMinor: taxed.amountMinor } : undefined;
}

/** Takes over a top-up that its process did not hand to the provider, or gives it up. */
async function resumed(
  { pool }: AutoTopupDeps,
  { topupId, amountMinor, isOld }: NonNullable<store.DueTopup['unsent']>,
) {
  if (!(await store.leaseAutoTopup(pool, topupId, LEASE_MS))) return undefined;
  if (!isOld) return { topupId, amountMinor };
  await store.failAutoTopup(pool, topupId, 'provider_unreachable');
  return undefined;
}

async function settle(
  { pool }: AutoTopupDeps,
  { provider, methodRef }: store.DueTopup,
  topupId: string,
  payment: SavedPayment,
): Promise<void> {
  if (payment.status === 'declined') return store.failAutoTopup(pool, topupId, payment.reason);
  if (payment.status === 'method_ended') {
    // First the top-up, which notifies the account and stops; then the method, which finds nothing to stop.
    await store.failAutoTopup(pool, topupId, 'method_ended');
    return endMethod(pool, provider, methodRef, 'provider');
  }
  await updateTopupPayment(pool, topupId, { reference: payment.reference, url: null });
  if (payment.status === 'paid') await completeTopups(pool, [topupId]);
}
