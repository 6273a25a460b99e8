import { currencyProblems, isCurrency, topupUnits, type Currency } from '../../domain/billing/billing';
import { type FieldProblem, MarketError } from '../../domain/errors';
import { creditText, REGISTRATION_FEE_UNITS } from '../../domain/ledger/money';
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
import type { PaymentProvider } from './billing-payments';
import { createBillingDetails } from './billing-details';
import { createInvoices } from './invoices';
import { createStatements } from './statements';
import { createTaxes, taxedAmount } from './taxes';
import { createBudgets } from './budgets';
import { createSpend } from './spend';
import type { LedgerService } from '../ledger/ledger';

export interface BillingDeps {
  pool: DbPool;
  ledger: LedgerService;
  payments: PaymentProvider;
  /** Limits of one top-up, in paise or cents. */
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
  traceId: string;
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
     * the limits, `idempotency_key_reused`.
     */
    async topUp(request: TopupRequest): Promise<TopupResult> {
      const { currency } = request;
      const amount = amountProblems(deps.limits, request.amountMinor);
      if (!isCurrency(currency)) {
        throw new MarketError('unsupported_currency', { detail: [...amount, ...currencyProblems(currency)] });
      }
      if (amount.length > 0) throw new MarketError('validation_failed', { detail: amount });
      const { topup, isNew } = await createTopup(deps, { ...request, currency });
      if (topup.status === 'pending' && topup.paymentUrl === null) await pay(deps, topup);
      return {
        topup: topup.status === 'pending' ? await readTopup(pool, topup.topupId) : topup,
        balance: await ledger.walletBalance(request.userId),
        replayed: !isNew,
      };
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

/** Starts or continues the payment of a pending top-up. No transaction is open during the request to the provider. */
async function pay({ pool, payments }: BillingDeps, topup: TopupRow): Promise<void> {
  const payment = await payments.start(topup);
  const url = payment.status === 'pending' ? payment.url : null;
  await updateTopupPayment(pool, topup.topupId, { reference: payment.reference, url });
  if (payment.status === 'paid') await completeTopups(pool, [topup.topupId]);
}

/**
 * Opens a pending top-up, or finds the one that the user opened with the same key. `amountMinor` of the request is the
 * price of the credits; a tax comes on top.
 */
async function createTopup(
  { pool, payments }: BillingDeps,
  request: TopupRequest & { currency: Currency },
): Promise<{ topup: TopupRow; isNew: boolean }> {
  const { userId, amountMinor, currency, idempotencyKey, traceId } = request;
  const topupId = newId('top');
  const amountUnits = topupUnits(amountMinor, currency);
  const provider = payments.name;
  const taxed = await taxedAmount(pool, { userId, netMinor: amountMinor });
  const topup = { userId, currency, amountUnits, ...taxed };
  const isNew = await insertTopup(pool, { topupId, ...topup, provider, idempotencyKey, traceId });
  if (isNew || idempotencyKey === null) return { topup: await readTopup(pool, topupId), isNew };
  const earlier = await readTopupByKey(pool, userId, idempotencyKey);
  if (earlier.amountMinor - earlier.taxMinor !== amountMinor || earlier.currency !== currency) {
    throw new MarketError('idempotency_key_reused', {
      message: 'This idempotency key was used for a top-up with another amount or currency. Use a new key.',
    });
  }
  return { topup: earlier, isNew };
}

function amountProblems(limits: BillingDeps['limits'], amountMinor: number): FieldProblem[] {
  const isLow = amountMinor < limits.minMinor;
  if (!isLow && amountMinor <= limits.maxMinor) return [];
  const [type, bound] = isLow
    ? (['minimum', limits.minMinor] as const)
    : (['maximum', limits.maxMinor] as const);
  return [{ loc: ['body', 'amountPaise'], msg: `must be ${isLow ? '>=' : '<='} ${bound}`, type }];
}
