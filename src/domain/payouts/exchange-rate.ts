import type { FieldProblem } from '../errors';

/**
 * The USD to INR spot rate that rupee payouts use. A quote from a rate source is checked before it is used: a
 * quote that is old, dated in the future, or far from the last known rate is not applied without an operator.
 */
export const RATE_SOURCES = ['ecb', 'frankfurter'] as const;
export type RateSourceName = (typeof RATE_SOURCES)[number];

/** Outcome of one fetch from a rate source. Only `loaded` adds a rate. */
export const FETCH_OUTCOMES = ['loaded', 'unchanged', 'stale', 'rejected', 'failed'] as const;
export type FetchOutcome = (typeof FETCH_OUTCOMES)[number];

/** How far the applied rate lies below the spot rate (`payout_terms`). */
export const RATE_SPREAD_PERCENT = 0.5;

/** The currencies with a rate to the dollar: of payouts in rupees, and of top-ups in euros and pounds. */
export const RATE_CURRENCIES = ['INR', 'EUR', 'GBP'] as const;
export type RateCurrency = (typeof RATE_CURRENCIES)[number];

/** One quote from a rate source. */
export interface RateQuote {
  /** Units of a currency per dollar, rupees unless it is said: decimal text with at most 6 decimals. */
  rate: string;
  observedAt: Date;
}

export interface RateLimits {
  nowMs: number;
  /** Maximum change from the newest known rate, in percent of that rate. */
  maxChangePercent: number;
  /** Default: INR. */
  currency?: RateCurrency;
}

export type RateVerdict =
  | { outcome: 'loaded' | 'unchanged'; reason?: undefined }
  | { outcome: 'stale'; reason: 'old_date' }
  | { outcome: 'rejected'; reason: 'future_date' | 'implausible' | 'contradicts' };

/**
 * Longer than the longest gap between reference rates (Easter: Thursday to Tuesday), shorter than the payout
 * interval of one week.
 */
export const STALE_AFTER_MS = 6 * 86_400_000;
/** Rates outside this range are implausible, whatever the last known rate. In millionths. */
const PLAUSIBLE_MICROS: Record<RateCurrency, { from: number; to: number }> = {
  INR: { from: 20_000_000, to: 500_000_000 },
  EUR: { from: 200_000, to: 5_000_000 },
  GBP: { from: 200_000, to: 5_000_000 },
};
const DECIMAL = /^(0|[1-9][0-9]{0,6})(\.[0-9]{1,8})?$/;
const SCALE = 100_000_000n;
const MICROS = 1_000_000n;

/** Decides whether a quote is applied. `newest` is the known rate with the latest time. */
export function judgeRate(
  quote: RateQuote,
  newest: RateQuote | undefined,
  { nowMs, maxChangePercent, currency = 'INR' }: RateLimits,
): RateVerdict {
  const at = quote.observedAt.getTime();
  if (at > nowMs) return { outcome: 'rejected', reason: 'future_date' };
  if (at <= nowMs - STALE_AFTER_MS) return { outcome: 'stale', reason: 'old_date' };
  const micros = microsOf(quote.rate);
  const plausible = PLAUSIBLE_MICROS[currency];
  if (micros < plausible.from || micros > plausible.to) return { outcome: 'rejected', reason: 'implausible' };
  if (!newest) return { outcome: 'loaded' };
  const before = microsOf(newest.rate);
  const newestAt = newest.observedAt.getTime();
  if (at === newestAt && micros !== before) return { outcome: 'rejected', reason: 'contradicts' };
  if (at <= newestAt) return { outcome: 'unchanged' };
  const isNear = Math.abs(micros - before) * 100 <= maxChangePercent * before;
  return isNear ? { outcome: 'loaded' } : { outcome: 'rejected', reason: 'implausible' };
}

const LOADED = /^(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?$/;

/** The problem of a rate that an operator loads: it is no positive decimal number with at most 6 decimals. */
export function rateProblems(rate: string): FieldProblem[] {
  if (LOADED.test(rate) && isDecimal(rate)) return [];
  const msg = 'must be a positive decimal number with at most 6 decimals';
  return [{ loc: ['body', 'rate'], msg, type: 'pattern' }];
}

/** True for a positive decimal number with at most 7 digits before and 8 after the point. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text) && /[1-9]/.test(text);
}

/**
 * Derives the cross rate from two rates against the same base (INR and USD per EUR): 6 decimals, rounded half
 * up.
 */
export function crossRate(quotePer: string, basePer: string): string {
  const base = scaled(basePer);
  const micros = (2n * scaled(quotePer) * MICROS + base) / (2n * base);
  return `${micros / MICROS}.${String(micros % MICROS).padStart(6, '0')}`;
}

/**
 * The time at which the central banks fix a day's reference rates: 14:15 in Frankfurt. Returns undefined when
 * `date` is not a valid `YYYY-MM-DD`.
 */
export function referenceTime(date: string): Date | undefined {
  const noon = new Date(`${date}T12:15:00.000Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(noon.getTime());
  if (!isDay || noon.toISOString().slice(0, 10) !== date) return undefined;
  return isSummerTime(noon) ? noon : new Date(noon.getTime() + 3_600_000);
}

/**
 * European summer time: from the last Sunday of March to the last Sunday of October. Both changes happen
 * before noon.
 */
function isSummerTime(noon: Date): boolean {
  const year = noon.getUTCFullYear();
  const day = Date.UTC(year, noon.getUTCMonth(), noon.getUTCDate());
  return day >= lastSunday(year, 2) && day < lastSunday(year, 9);
}

/** Midnight UTC of the last Sunday. `month` starts at 0 and must have 31 days. */
function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month, 31));
  return last.getTime() - last.getUTCDay() * 86_400_000;
}

/** Converts a rate to millionths; exact, because a rate has at most 7 digits before the point. */
function microsOf(rate: string): number {
  return Number(scaled(rate) / (SCALE / MICROS));
}

function scaled(decimal: string): bigint {
  const [whole = '', places = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(places.padEnd(8, '0'));
}
