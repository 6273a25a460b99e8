/**
 * What a top-up credits (ADR 0303). Dollars and rupees have fixed prices: 1 credit is USD 0.01, and 1 rupee. Euros and
 * pounds are credited at the spot rate to the dollar, less a spread. A credit is paid out as USD 0.01, so no currency
 * may buy credits for less than they are worth: rupees are refused while the spot rate, less the spread, would buy less
 * than the fixed price gives.
 */
import { assertUnits, UNITS_PER_CREDIT } from '../ledger/money';
import { type Currency, isFixed, topupUnits } from './billing';

/** The spot rate of a currency to the dollar. */
export interface SpotRate {
  /** Units of the currency for one dollar: decimal text with at most 6 decimals. */
  rate: string;
  observedAt: Date;
}

/** What an amount of money credits. */
export interface TopupPrice {
  units: number;
  /** The rate and the spread that it was computed with; null for a fixed price. */
  exchange: { rate: string; observedAt: Date; spreadPercent: number } | null;
}

/**
 * Why an amount has no price now. `no_rate`: there is no rate of the last seven days. `worth_less`: the fixed price
 * would give more than the money is worth.
 */
export type Unpriced = 'no_rate' | 'worth_less';

export interface PriceTerms {
  /** The newest rate; undefined if none is known. */
  spot: SpotRate | undefined;
  /** With at most two decimals. */
  spreadPercent: number;
  nowMs: number;
}

/** As for payouts: longer than any gap between reference rates. */
export const RATE_LIFE_MS = 7 * 86_400_000;

const MICROS = 1_000_000n;
/** Hundredths of a percent in a whole. */
const WHOLE = 10_000n;

/** The price of an amount in minor units; a reason when it has none. Whole units, rounded down. */
export function priceOf(amountMinor: number, currency: Currency, terms: PriceTerms): TopupPrice | Unpriced {
  const { spot, spreadPercent, nowMs } = terms;
  if (isFixed(currency)) {
    const units = topupUnits(amountMinor, currency);
    const isBelow = currency !== 'USD' && spot && marketUnits(amountMinor, spot.rate, spreadPercent) < units;
    return isBelow ? 'worth_less' : { units, exchange: null };
  }
  if (!spot || spot.observedAt.getTime() <= nowMs - RATE_LIFE_MS) return 'no_rate';
  const { rate, observedAt } = spot;
  return {
    units: marketUnits(amountMinor, rate, spreadPercent),
    exchange: { rate, observedAt, spreadPercent },
  };
}

/** The smallest amount in minor units that credits at least so many units; a reason when there is no price. */
export function amountFor(units: number, currency: Currency, terms: PriceTerms): number | Unpriced {
  const one = priceOf(UNIT_PROBE_MINOR, currency, terms);
  if (typeof one === 'string') return one;
  if (isFixed(currency)) return Math.ceil(units / topupUnits(1, currency));
  const rate = microsOf(terms.spot?.rate ?? '1');
  const perMinor = BigInt(UNITS_PER_CREDIT) * keptShare(terms.spreadPercent) * MICROS;
  return Number((BigInt(units) * rate * WHOLE + perMinor - 1n) / perMinor);
}

const UNIT_PROBE_MINOR = 10_000;

/** The units that money is worth at a spot rate less the spread, at USD 0.01 for a credit; rounded down. */
export function marketUnits(amountMinor: number, rate: string, spreadPercent: number): number {
  const worth =
    BigInt(assertUnits(amountMinor)) * BigInt(UNITS_PER_CREDIT) * keptShare(spreadPercent) * MICROS;
  return assertUnits(Number(worth / (microsOf(rate) * WHOLE)));
}

const keptShare = (spreadPercent: number): bigint => WHOLE - BigInt(Math.round(spreadPercent * 100));

/** A rate in millionths. Throws `RangeError` for zero and for what is no decimal with at most 6 decimals. */
function microsOf(rate: string): bigint {
  const [, whole = '', places = ''] = /^([0-9]{1,8})(?:\.([0-9]{1,6}))?$/.exec(rate) ?? [];
  const micros = whole === '' ? 0n : BigInt(whole) * MICROS + BigInt(places.padEnd(6, '0'));
  if (micros === 0n) throw new RangeError('not a rate');
  return micros;
}
