import { randomUUID } from 'node:crypto';
import { creditsText } from '../../domain/ledger/money';
import { ApiFailure, type MarketApi } from '../api-client';
import type { Schema } from '../api-schema';
import { usageFailure } from '../failure';
import { readAmount } from './amount';

/** The options of a top-up. */
export interface Purchase {
  /** INR, USD, EUR or GBP. */
  currency: string;
  /** Saves the payment method for automatic top-ups. */
  saveMethod?: boolean;
  idempotencyKey?: string;
}

type TopUp = Schema<'TopUpResponse'>;

const MINOR_UNITS = 100;

/**
 * Buys credits for an amount of money, such as `10`. Throws a usage failure for what is no amount, or is outside of the
 * limits.
 */
export async function buyCredits(
  api: MarketApi,
  amount: string,
  { currency, idempotencyKey, saveMethod }: Purchase,
) {
  const body = { ...moneyOf(amount, currency), ...(saveMethod && { save_method: true }) };
  const headers = { 'Idempotency-Key': idempotencyKey ?? randomUUID() };
  const topup = await api.call<TopUp>('POST', '/v1/billing/topup', body, headers).catch((error: unknown) => {
    throw inMoney(error, currency);
  });
  const text = topup.payment_url
    ? `Pay at ${topup.payment_url}; ${creditsText(topup.credits)} follow the payment.`
    : `${creditsText(topup.credits)} (${topup.status}). The wallet has ${creditsText(topup.balance.available_credits)}.`;
  return { text, json: topup };
}

const moneyOf = (amount: string, currency: string) => ({
  amountPaise: Math.round(readAmount(amount) * MINOR_UNITS),
  currency,
});

/** Prints what an amount of money would buy now. */
export async function quoteCredits(api: MarketApi, amount: string, { currency }: Purchase) {
  const { amountPaise } = moneyOf(amount, currency);
  const query = new URLSearchParams({ amountPaise: String(amountPaise), currency });
  const quote = await api
    .call<Schema<'TopUpQuote'>>('GET', `/v1/billing/topup/quote?${query.toString()}`)
    .catch((error: unknown) => {
      throw inMoney(error, currency);
    });
  const { exchange } = quote;
  const terms = exchange
    ? `at ${exchange.rate} ${currency} for a dollar of ${exchange.observed_at}, less a spread of ${exchange.spread_percent} %`
    : 'a fixed price';
  return { text: `${amount} ${currency} buy ${creditsText(quote.credits)}: ${terms}.`, json: quote };
}

/** A refusal of the amount, with its limit in money instead of the smallest unit. */
function inMoney(error: unknown, currency: string): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const problem = error.detail.find(({ loc }) => loc.at(-1) === 'amountPaise');
  const [, relation, minor] = /^must be (<=|>=) (\d+)$/.exec(problem?.msg ?? '') ?? [];
  if (minor === undefined) return error;
  const limit = `${(Number(minor) / MINOR_UNITS).toFixed(2)} ${currency}`;
  return usageFailure(`a top-up is ${relation === '<=' ? 'at most' : 'at least'} ${limit}`);
}
