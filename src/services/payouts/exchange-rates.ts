/**
 * Exchange rates: fetching them from a source, checking them, and listing them for operators. A rejected rate is never
 * used. Payouts in rupees then use the newest loaded rate if it is from the week before their Monday; otherwise they
 * roll over with `no_exchange_rate` (docs/payouts.md).
 */
import type { Config } from '../../config';
import {
  type FetchOutcome,
  judgeRate,
  type RateCurrency,
  type RateQuote,
} from '../../domain/payouts/exchange-rate';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { createRateSource, type RateSource, type SourceQuote } from '../../egress/exchange-rates';
import type { Logger } from '../../logger';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/payouts/exchange-rates';
import { insertRate } from '../../stores/payouts/payout-methods';
import { StartRefusal } from '../../kit/start-refusal';

export type { RateFetchRow, RateRow } from '../../stores/payouts/exchange-rates';

export interface ExchangeRatesDeps {
  pool: DbPool;
  logger: Logger;
  /** Undefined if operators load rates by hand. */
  source: RateSource | undefined;
  maxChangePercent: number;
}

export interface FetchReport {
  /** `off`: no source is configured. */
  outcome: FetchOutcome | 'off';
  reason: string | null;
}

/** Longer than the database column allows. Such a rate would be implausible anyway. */
const MAX_RATE_LENGTH = 14;

export function createExchangeRates(deps: ExchangeRatesDeps) {
  const { pool, source, logger } = deps;
  return {
    /** Fetches once from the source, loads a new plausible rate, and records the result. Idempotent. */
    async fetch(): Promise<FetchReport> {
      if (!source) return { outcome: 'off', reason: null };
      const quote = await quoteOf(source);
      const found = await withTransaction(pool, async (tx) => {
        const judged = await judge(tx, source, quote, deps.maxChangePercent);
        await store.recordRateFetch(tx, judged);
        const others = quote instanceof EgressError ? [] : await loadOthers(tx, deps, source, quote);
        return { ...judged, others };
      });
      const { outcome, reason, message, rate, observedAt } = found;
      const seen = { source: source.name, outcome, reason, message, rate, observedAt, others: found.others };
      if (reason === null) logger.info(seen, 'fetched the exchange rate');
      else logger.warn(seen, 'the source of exchange rates gave no usable rate');
      return { outcome, reason };
    },

    list: (page: store.RatePage) => store.listRates(pool, page),
    fetches: (page: { beforeId?: string | undefined; limit: number }) => store.listRateFetches(pool, page),
  };
}

export type ExchangeRates = ReturnType<typeof createExchangeRates>;

async function judge(
  tx: Db,
  source: RateSource,
  quote: RateQuote | EgressError,
  maxChangePercent: number,
): Promise<store.RateFetch> {
  if (quote instanceof EgressError) {
    const failure = {
      reason: quote.kind,
      message: quote.message.slice(0, 300),
      rate: null,
      observedAt: null,
    };
    return { source: source.name, outcome: 'failed', ...failure };
  }
  const nowMs = Date.now();
  const newest = await store.readNewestRate(tx, nowMs);
  const verdict = judgeRate(quote, newest, { nowMs, maxChangePercent });
  const contradicts = verdict.outcome === 'loaded' && !(await load(tx, source, quote));
  const { outcome, reason = null } = contradicts ? CONTRADICTS : verdict;
  return {
    source: source.name,
    outcome,
    reason,
    message: reason && MESSAGES[reason],
    rate: quote.rate.length <= MAX_RATE_LENGTH ? quote.rate : null,
    observedAt: quote.observedAt,
  };
}

/**
 * Loads the rates of the other currencies, each by the same checks. One that is not plausible is not used, and is named
 * in the log: top-ups in its currency end when its last rate is seven days old.
 */
async function loadOthers(
  tx: Db,
  { logger, maxChangePercent }: ExchangeRatesDeps,
  source: RateSource,
  { others, observedAt }: SourceQuote,
): Promise<string[]> {
  const nowMs = Date.now();
  const loaded: string[] = [];
  for (const { currency, rate } of others) {
    const newest = await store.readNewestRate(tx, nowMs, currency);
    const { outcome, reason } = judgeRate({ rate, observedAt }, newest, {
      nowMs,
      maxChangePercent,
      currency,
    });
    if (outcome === 'loaded' && (await load(tx, source, { rate, observedAt }, currency)))
      loaded.push(currency);
    else if (outcome === 'rejected')
      logger.warn(
        { source: source.name, currency, rate, reason },
        'the source gave an unusable rate of a currency',
      );
  }
  return loaded;
}

async function quoteOf(source: RateSource): Promise<SourceQuote | EgressError> {
  try {
    return await source.latest();
  } catch (error) {
    if (error instanceof EgressError) return error;
    throw error;
  }
}

/** Loads a rate. Returns false if a different rate for the same time was loaded concurrently. */
function load(
  tx: Db,
  { name }: RateSource,
  { rate, observedAt }: RateQuote,
  currency: RateCurrency = 'INR',
): Promise<boolean> {
  return insertRate(tx, { rate, observedAt, source: name, loadedBy: `source:${name}`, currency });
}

const CONTRADICTS = { outcome: 'rejected', reason: 'contradicts' } as const;

const MESSAGES = {
  old_date: 'The newest rate of the source is older than six days.',
  future_date: 'The rate has a time in the future.',
  implausible: 'The rate differs too much from the newest one. If it is correct, load it by hand.',
  contradicts: 'Another rate for this time exists.',
} as const;

/** Creates the service from the settings FX_*. Throws `Error` if the source's URL is forbidden. */
export function createRates(deps: { pool: DbPool; config: Config; egress: Egress; logger: Logger }) {
  const { config, egress, pool, logger } = deps;
  const { FX_SOURCE: name, FX_SOURCE_URL: url, FX_MAX_CHANGE_PERCENT: maxChangePercent } = config;
  if (url && !egress.checkUrl(url).ok) {
    throw new StartRefusal('FX_SOURCE_URL must be an https:// URL of a public host');
  }
  const source = name === 'none' ? undefined : createRateSource(egress, name, url);
  return createExchangeRates({ pool, logger, source, maxChangePercent });
}
