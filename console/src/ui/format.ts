import { isolated } from './isolated.ts';

/**
 * Numbers, times and money in the reader's locale, each apart from the direction of the words beside it. Amounts are
 * shown as the API gave them, never computed.
 */
/** Also sums may be minus zero. */
const credits = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2, signDisplay: 'negative' });
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});
const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const toSeconds = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const precise = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
// Distances are words, so they are in the language of the console.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const rate = new Intl.NumberFormat(undefined, { maximumFractionDigits: 10 });

/** With a minus sign, which is as wide as a plus sign, and not a hyphen. */
export const formatCredits = (value: number): string =>
  isolated(credits.format(value).replace(/^-/, '\u2212'));
/** An amount of credits in the words of a button: 1 credit, 1,200 credits. */
export const creditsText = (value: number): string =>
  `${formatCredits(value)} ${Math.abs(value) === 1 ? 'credit' : 'credits'}`;
/** Points of a score, such as 20.7. */
export const formatPoints = (value: number): string => isolated(tenths.format(value));
export const formatWhole = (value: number): string => isolated(whole.format(value));
/** How many rows of a list are shown: "25 of 310", and "25" where those are all. */
export const shownText = (count: number, total = count): string =>
  total > count ? `${formatWhole(count)} of ${formatWhole(total)}` : formatWhole(count);
export const formatShare = (value: number): string => isolated(percent.format(value));
/** A price as the API gives it, a decimal such as `0.0125`, with all of its digits. */
export const formatRate = (value: string | number): string => isolated(rate.format(Number(value)));
export const formatUsd = (value: number): string => isolated(dollars.format(value));
export const formatTime = (iso: string): string => isolated(instant.format(new Date(iso)));
export const formatSeconds = (iso: string): string => isolated(toSeconds.format(new Date(iso)));
export const formatPrecise = (iso: string): string => isolated(precise.format(new Date(iso)));

/** A UTC day such as `2026-11-02`, short: 2 Nov. */
export const formatDay = (utcDay: string): string => isolated(day.format(new Date(utcDay)));
/** A UTC day such as `2026-11-02`: 2 Nov 2026. */
export const formatDate = (utcDay: string): string => isolated(date.format(new Date(utcDay)));

const USDC_DIGITS = 6;
const usdc = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: USDC_DIGITS,
});

/** Minor units, such as paise or cents, as the currency writes them. */
export function formatMinor(minor: number, currency: string): string {
  if (currency === 'USDC') return isolated(`${usdc.format(minor / 10 ** USDC_DIGITS)} USDC`);
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  return isolated(format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2)));
}

/** How the reader writes numbers into fields: the separators, and groups of three digits or, in India, of two. */
export function numberSeparators() {
  const parts = new Intl.NumberFormat(undefined, { numberingSystem: 'latn' }).formatToParts(1_234_567.5);
  const valueOf = (type: string) => parts.find((part) => part.type === type)?.value;
  const [, second] = parts.filter(({ type }) => type === 'integer');
  return {
    decimalSeparator: valueOf('decimal') ?? '.',
    thousandSeparator: valueOf('group') ?? ' ',
    thousandsGroupStyle: second?.value.length === 2 ? 'lakh' : 'thousand',
  } as const;
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** "in 3 days", "5 minutes ago". */
export function formatRelative(iso: string, now = Date.now()): string {
  const distance = new Date(iso).getTime() - now;
  const [unit, size] = STEPS.find(([, ms]) => Math.abs(distance) >= ms) ?? (['second', 1_000] as const);
  return relative.format(Math.round(distance / size), unit);
}

/** 1,221 ms, 12.3 s, 2 min 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${formatWhole(ms)} ms`;
  if (ms < 60_000) return `${formatCredits(Math.round(ms / 10) / 100)} s`;
  if (ms >= 3_600_000) return formatSpan(Math.round(ms / 60_000) * 60);
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

const SPANS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
/** 2400 → "40 minutes", 5400 → "1 hour 30 minutes": in its two largest units. */
export function formatSpan(seconds: number): string {
  const first = SPANS.findIndex(([, size]) => seconds >= size);
  let rest = seconds;
  const parts = SPANS.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${formatWhole(count)} ${unit}${count === 1 ? '' : 's'}`];
  });
  return parts.join(' ');
}

const SURFACES: Readonly<Record<string, string>> = { invoke: 'API', mcp: 'MCP', a2a: 'A2A' };
/** By which way a call came: `mcp` → MCP, `invoke` → API. */
export const formatSurface = (surface: string): string => SURFACES[surface] ?? formatCode(surface);

/** `dead_letter` → "Dead letter". */
export function formatCode(code: string): string {
  const words = code.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
