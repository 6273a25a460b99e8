/**
 * Rates of exchange: what a source is asked for, what of it is believed, and what operators read. A rate that is
 * refused is never used; payouts in rupees then take the newest one that was loaded, as long as it is of the week
 * before their Monday, and roll over with `no_exchange_rate` after that (docs/payouts.md).
 */
import type { Config } from '../../config';
import { type FetchOutcome, judgeRate, type RateQuote } from '../../domain/payouts/exchange-rate';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { createRateSource, type RateSource } from '../../egress/exchange-rates';
import type { Logger } from '../../logger';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/payouts/exchange-rates';
import { insertRate } from '../../stores/payouts/payout-methods';

export type { RateFetchRow, RateRow } from '../../stores/payouts/exchange-rates';

export interface ExchangeRatesDeps {
  pool: DbPool;
  logger: Logger;
  /** Undefined: operators load rates by hand. */
  source: RateSource | undefined;
  maxChangePercent: number;
}

export interface FetchReport {
  /** `off`: there is no source. */
  outcome: FetchOutcome | 'off';
  reason: string | null;
}

/** More digits than the column takes; such a rate is implausible anyway. */
const MAX_RATE_LENGTH = 14;

export function createExchangeRates(deps: ExchangeRatesDeps) {
  const { pool, source, logger } = deps;
  return {
    /** Asks the source once, loads what is new and believable, and writes down how it ended. Safe to repeat. */
    async fetch(): Promise<FetchReport> {
      if (!source) return { outcome: 'off', reason: null };
      const quote = await quoteOf(source);
      const found = await withTransaction(pool, async (tx) => {
        const judged = await judge(tx, source, quote, deps.maxChangePercent);
        await store.recordRateFetch(tx, judged);
        return judged;
      });
      const { outcome, reason, message, rate, observedAt } = found;
      const seen = { source: source.name, outcome, reason, message, rate, observedAt };
      if (reason === null) logger.info(seen, 'the source of exchange rates was asked');
      else logger.warn(seen, 'the source of exchange rates gave no rate to use');
      return { outcome, reason };
    },

    list: (page: { beforeAt?: string | undefined; limit: number }) => store.listRates(pool, page),
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
    const told = { reason: quote.kind, message: quote.message.slice(0, 300), rate: null, observedAt: null };
    return { source: source.name, outcome: 'failed', ...told };
  }
  const nowMs = Date.now();
  const newest = await store.readNewestRate(tx, nowMs);
  const verdict = judgeRate(quote, newest, { nowMs, maxChangePercent });
  const isTaken = verdict.outcome === 'loaded' && !(await load(tx, source, quote));
  const { outcome, reason = null } = isTaken ? CONTRADICTS : verdict;
  return {
    source: source.name,
    outcome,
    reason,
    message: reason && MESSAGES[reason],
    rate: quote.rate.length <= MAX_RATE_LENGTH ? quote.rate : null,
    observedAt: quote.observedAt,
  };
}

async function quoteOf(source: RateSource): Promise<RateQuote | EgressError> {
  try {
    return await source.latest();
  } catch (error) {
    if (error instanceof EgressError) return error;
    throw error;
  }
}

/** False: another rate of the same time came in between. */
function load(tx: Db, { name }: RateSource, { rate, observedAt }: RateQuote): Promise<boolean> {
  return insertRate(tx, { rate, observedAt, source: name, loadedBy: `source:${name}` });
}

const CONTRADICTS = { outcome: 'rejected', reason: 'contradicts' } as const;

const MESSAGES = {
  old_date: 'The newest rate of the source is older than six days.',
  future_date: 'The rate is of a time to come.',
  implausible: 'The rate is far from the newest one; load it by hand if it is right.',
  contradicts: 'There is another rate of this time.',
} as const;

/** With the source of the settings FX_*; an address that may not be called ends the process with a message. */
export function createRates(deps: { pool: DbPool; config: Config; egress: Egress; logger: Logger }) {
  const { config, egress, pool, logger } = deps;
  const { FX_SOURCE: name, FX_SOURCE_URL: url, FX_MAX_CHANGE_PERCENT: maxChangePercent } = config;
  if (url && !egress.checkUrl(url).ok) {
    throw new Error('FX_SOURCE_URL must be an https:// address of a public host');
  }
  const source = name === 'none' ? undefined : createRateSource(egress, name, url);
  return createExchangeRates({ pool, logger, source, maxChangePercent });
}
