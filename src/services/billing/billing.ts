import { currencyProblems, type Currency, isCurrency } from '../../domain/billing/billing';
import type { TopupPrice } from '../../domain/billing/topup-price';
import { type FieldProblem, MarketError } from '../../domain/errors';
import { creditText, REGISTRATION_FEE_UNITS, UNITS_PER_CREDIT } from '../../domain/ledger/money';
import { newId } from '../../kit/ids/ids';
import type { DocumentWriter } from '../../kit/documents/document-threads';
import type { DbPool } from '../../stores/db';
import { completeTopups } from '../../stores/ledger/ledger-moves';
import type { WalletBalance } from '../../stores/ledger/ledger-reads';
import {
  insertTopup,
  readTopup,
  readTopupByKey,
  updateTopupPayment,
  type TopupRow,
} from '../../stores/billing/topups';
import { listFreeCalls } from '../../stores/billing/free-calls';
import { keepMethod, readCustomer } from '../../stores/billing/saved-methods';
import { createBillingDetails } from './billing-details';
import { createInvoices } from './invoices';
import { createStatements } from './statements';
import { createTaxes, taxedAmount } from './taxes';
import { createBudgets } from './budgets';
import { createSpend } from './spend';
import type { PaymentProviders } from './providers/payment-providers';
import type { TopupPrices } from './topup-prices';
import type { LedgerService } from '../ledger/ledger';

export interface BillingDeps {
  pool: DbPool;
  ledger: LedgerService;
  providers: PaymentProviders;
  prices: TopupPrices;
  /** Limits of one top-up, in paise, cents or pence. */
  limits: { minMinor: number; maxMinor: number };
  /** Name and address of the invoices' issuer, one line each, until an operator has set one. */
  issuer: readonly string[];
  documents: DocumentWriter;
}

export interface TopupRequest {
  userId: string;
  amountMinor: number;
  currency: string;
  idempotencyKey: string | null;
  /** The payer saves the method for automatic top-ups. */
  savesMethod?: boolean;
  /** What the payer was shown: less is refused. Null: any. */
  leastCredits?: number | null;
  traceId: string;
}

export interface TopupQuote {
  price: TopupPrice;
  amountMinor: number;
  currency: Currency;
  savesMethods: boolean;
}

export interface TopupResult {
  topup: TopupRow;
  balance: WalletBalance;
  /** True if the idempotency key was used before for the same request; nothing was credited now. */
  replayed: boolean;
}

/**
 * Top-ups, invoices, and the one-time registration fee of developers (specification, "Billing"). Free calls:
 * `calls/call-admission.ts`.
 */
export function createBillingService(deps: BillingDeps) {
  const { pool, ledger } = deps;
  return {
    ...createSpend({ reads: deps.pool }),
    ...createBillingDetails(pool),
    ...createBudgets(pool),
    ...createTaxes({ pool }),
    ...createInvoices({ pool, documents: deps.documents, letterhead: deps.issuer }),
    ...createStatements({ pool, documents: deps.documents, letterhead: deps.issuer }),

    /**
     * Credits a wallet. A repeated idempotency key with the same amount returns the same top-up and credits once, even
     * if the first attempt crashed half-way. Throws `unsupported_currency`, `validation_failed` for an amount outside
     * the limits, `idempotency_key_reused`, `invalid_state` if the rate has fallen below `leastCredits`.
     */
    async topUp(request: TopupRequest): Promise<TopupResult> {
      const currency = payable(deps, request.amountMinor, request.currency, 'body');
      const { topup, isNew } = await createTopup(deps, { ...request, currency });
      if (topup.status === 'pending' && topup.paymentUrl === null) await pay(deps, topup);
      return {
        topup: topup.status === 'pending' ? await readTopup(pool, topup.topupId) : topup,
        balance: await ledger.walletBalance(request.userId),
        replayed: !isNew,
      };
    },

    /** What an amount of money would credit now. Throws like `topUp`. */
    async topUpQuote(amountMinor: number, named: string): Promise<TopupQuote> {
      const currency = payable(deps, amountMinor, named, 'query');
      const price = await deps.prices.priceOrThrow(amountMinor, currency);
      return { price, amountMinor, currency, savesMethods: deps.providers.of(currency)?.saved !== undefined };
    },

    /**
     * Takes the one-time registration fee from a developer's wallet. Charges nothing if it is already paid. Throws
     * `insufficient_credits`, or `forbidden` if the account is not a developer.
     */
    async payRegistration(
      userId: string,
      traceId: string,
    ): Promise<{ chargedUnits: number; walletUnits: number }> {
      const result = await ledger.payRegistration(userId, traceId);
      if (result.outcome === 'insufficient') {
        const { availableUnits } = await ledger.walletBalance(userId);
        throw new MarketError('insufficient_credits', {
          message: `The registration fee is ${creditText(REGISTRATION_FEE_UNITS)}; the wallet has ${creditText(availableUnits)}. Top it up (POST /v1/billing/topup), then pay again.`,
        });
      }
      if (result.outcome === 'not_a_developer') throw new MarketError('forbidden');
      return { chargedUnits: result.amountUnits, walletUnits: result.walletUnits ?? 0 };
    },

    /** The free calls of this month of which an account has used some, by agent. */
    freeCalls: (filter: Parameters<typeof listFreeCalls>[1]) => listFreeCalls(pool, filter),
  };
}

export type BillingService = ReturnType<typeof createBillingService>;

/** The currency of an amount that may be paid. Throws `unsupported_currency` or `validation_failed`. */
function payable(
  { limits }: BillingDeps,
  amountMinor: number,
  currency: string,
  where: 'body' | 'query',
): Currency {
  const amount = amountProblems(limits, amountMinor, where);
  if (!isCurrency(currency)) {
    const detail = [...amount, ...currencyProblems(currency, where)];
    throw new MarketError('unsupported_currency', { detail });
  }
  if (amount.length > 0) throw new MarketError('validation_failed', { detail: amount });
  return currency;
}

/** Starts or continues the payment of a pending top-up. No transaction is open during the request to the provider. */
async function pay({ pool, providers }: BillingDeps, topup: TopupRow): Promise<void> {
  const { topupId, userId, provider: name, savesMethod: saves } = topup;
  const provider = providers.named(name);
  const customerRef = saves ? await readCustomer(pool, userId, name) : null;
  const payment = await provider.start({ ...topup, saves, customerRef });
  const url = payment.status === 'pending' ? payment.url : null;
  await updateTopupPayment(pool, topupId, { reference: payment.reference, url });
  if (payment.status !== 'paid') return;
  await completeTopups(pool, [topupId]);
  const saved = saves ? provider.saved?.ofTopup?.(topupId) : undefined;
  if (!saved) return;
  const { label } = await provider.saved!.facts(saved.methodRef);
  await keepMethod(pool, { methodId: newId('svm'), topupId, provider: name, label, ...saved });
}

/**
 * Opens a pending top-up at the price of now, or finds the one that the user opened with the same key. `amountMinor` of
 * the request is the price of the credits; a tax comes on top.
 */
async function createTopup(
  deps: BillingDeps,
  request: TopupRequest & { currency: Currency },
): Promise<{ topup: TopupRow; isNew: boolean }> {
  const { pool, providers, prices } = deps;
  const {
    userId,
    amountMinor,
    currency,
    idempotencyKey,
    traceId,
    savesMethod = false,
    leastCredits,
  } = request;
  const earlier = idempotencyKey === null ? undefined : await readTopupByKey(pool, userId, idempotencyKey);
  if (earlier) return { topup: sameTopup(earlier, request), isNew: false };
  const { units, exchange } = await prices.priceOrThrow(amountMinor, currency);
  const provider = providers.of(currency);
  if (savesMethod && !provider?.saved) throw savesNothing(currency);
  if (typeof leastCredits === 'number' && units < Math.round(leastCredits * UNITS_PER_CREDIT)) {
    throw new MarketError('invalid_state', {
      message: `The exchange rate has changed: this amount buys ${creditText(units)} now. Nothing was paid.`,
    });
  }
  const topupId = newId('top');
  const taxed = await taxedAmount(pool, { userId, netMinor: amountMinor });
  const terms = { userId, currency, amountUnits: units, exchange, savesMethod, ...taxed };
  const isNew = await insertTopup(pool, {
    topupId,
    ...terms,
    provider: provider!.name,
    idempotencyKey,
    traceId,
  });
  if (isNew || idempotencyKey === null) return { topup: await readTopup(pool, topupId), isNew };
  const other = await readTopupByKey(pool, userId, idempotencyKey);
  if (!other) throw new Error('a top-up with this key was there, and is gone');
  return { topup: sameTopup(other, request), isNew };
}

/** The top-up of an idempotency key, if the request is the same. Throws `idempotency_key_reused`. */
function sameTopup(topup: TopupRow, { amountMinor, currency }: TopupRequest): TopupRow {
  if (topup.amountMinor - topup.taxMinor === amountMinor && topup.currency === currency) return topup;
  throw new MarketError('idempotency_key_reused', {
    message: 'This idempotency key was used for a top-up with another amount or currency. Use a new key.',
  });
}

function savesNothing(currency: Currency): MarketError {
  const msg = `must be false: the payment provider for ${currency} saves no payment methods`;
  return new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'save_method'], msg, type: 'value' }],
  });
}

function amountProblems(
  limits: BillingDeps['limits'],
  amountMinor: number,
  where: 'body' | 'query',
): FieldProblem[] {
  const isLow = amountMinor < limits.minMinor;
  if (!isLow && amountMinor <= limits.maxMinor) return [];
  const [type, bound] = isLow
    ? (['minimum', limits.minMinor] as const)
    : (['maximum', limits.maxMinor] as const);
  return [{ loc: [where, 'amountPaise'], msg: `must be ${isLow ? '>=' : '<='} ${bound}`, type }];
}
