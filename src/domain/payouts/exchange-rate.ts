/**
 * The rate of exchange that payouts in rupees use: USD in INR, spot. What a source says is judged before it is
 * believed: nothing that is old, to come, or far from what was known before moves money without an operator.
 */
export const RATE_SOURCES = ['ecb', 'frankfurter'] as const;
export type RateSourceName = (typeof RATE_SOURCES)[number];

/** What became of one look at a source; `loaded` is the only one that adds a rate. */
export const FETCH_OUTCOMES = ['loaded', 'unchanged', 'stale', 'rejected', 'failed'] as const;
export type FetchOutcome = (typeof FETCH_OUTCOMES)[number];

export interface RateQuote {
  /** Rupees for a dollar: decimal text with at most 6 places. */
  rate: string;
  observedAt: Date;
}

export interface RateLimits {
  nowMs: number;
  /** How far a rate may be from the newest one that is known, in percent of that. */
  maxChangePercent: number;
}

export type RateVerdict =
  | { outcome: 'loaded' | 'unchanged'; reason?: undefined }
  | { outcome: 'stale'; reason: 'old_date' }
  | { outcome: 'rejected'; reason: 'future_date' | 'implausible' | 'contradicts' };

/** Longer than the longest pause of reference rates (Easter: Thursday to Tuesday), shorter than a payout's week. */
export const STALE_AFTER_MS = 6 * 86_400_000;
/** Nobody has seen the pair outside, whatever was known before. */
const PLAUSIBLE_MICROS = { from: 20_000_000, to: 500_000_000 } as const;
const DECIMAL = /^(0|[1-9][0-9]{0,6})(\.[0-9]{1,8})?$/;
const SCALE = 100_000_000n;
const MICROS = 1_000_000n;

/** Whether a rate counts; `newest` is the one with the latest time that is known. */
export function judgeRate(
  quote: RateQuote,
  newest: RateQuote | undefined,
  { nowMs, maxChangePercent }: RateLimits,
): RateVerdict {
  const at = quote.observedAt.getTime();
  if (at > nowMs) return { outcome: 'rejected', reason: 'future_date' };
  if (at <= nowMs - STALE_AFTER_MS) return { outcome: 'stale', reason: 'old_date' };
  const micros = microsOf(quote.rate);
  if (micros < PLAUSIBLE_MICROS.from || micros > PLAUSIBLE_MICROS.to)
    return { outcome: 'rejected', reason: 'implausible' };
  if (!newest) return { outcome: 'loaded' };
  const before = microsOf(newest.rate);
  const newestAt = newest.observedAt.getTime();
  if (at === newestAt && micros !== before) return { outcome: 'rejected', reason: 'contradicts' };
  if (at <= newestAt) return { outcome: 'unchanged' };
  const isNear = Math.abs(micros - before) * 100 <= maxChangePercent * before;
  return isNear ? { outcome: 'loaded' } : { outcome: 'rejected', reason: 'implausible' };
}

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text) && /[1-9]/.test(text);
}

/** Of two rates for the same currency (rupees and dollars for a euro) the one between them: 6 places, half up. */
export function crossRate(quotePer: string, basePer: string): string {
  const base = scaled(basePer);
  const micros = (2n * scaled(quotePer) * MICROS + base) / (2n * base);
  return `${micros / MICROS}.${String(micros % MICROS).padStart(6, '0')}`;
}

/**
 * When the central banks agree upon the reference rates of a day: 14:15 in Frankfurt. Undefined: `date` is no day
 * (`YYYY-MM-DD`).
 */
export function referenceTime(date: string): Date | undefined {
  const noon = new Date(`${date}T12:15:00.000Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(noon.getTime());
  if (!isDay || noon.toISOString().slice(0, 10) !== date) return undefined;
  return isSummerTime(noon) ? noon : new Date(noon.getTime() + 3_600_000);
}

/** European summer time: from the last Sunday of March to the last of October; both changes are before noon. */
function isSummerTime(noon: Date): boolean {
  const year = noon.getUTCFullYear();
  const day = Date.UTC(year, noon.getUTCMonth(), noon.getUTCDate());
  return day >= lastSunday(year, 2) && day < lastSunday(year, 9);
}

/** Midnight UTC; `month` from 0, of 31 days. */
function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month, 31));
  return last.getTime() - last.getUTCDay() * 86_400_000;
}

/** Millionths; exact, as a rate has at most 7 digits before the point. */
function microsOf(rate: string): number {
  return Number(scaled(rate) / (SCALE / MICROS));
}

function scaled(decimal: string): bigint {
  const [whole = '', places = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(places.padEnd(8, '0'));
}
