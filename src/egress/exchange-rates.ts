/**
 * Public sources of exchange rates from USD to INR, EUR and GBP. Both publish the European Central Bank's reference
 * rates of one day, on its working days. A response is validated completely before any part of it is used.
 */
import {
  crossRate,
  isDecimal,
  type RateCurrency,
  type RateQuote,
  type RateSourceName,
  referenceTime,
} from '../domain/payouts/exchange-rate';
import { readEcbRates } from '../kit/rails/ecb-rates';
import { parseStrictJson } from '../kit/json/strict-json';
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';
import { isRecord } from '../domain/json-value';

export interface RateSource {
  name: RateSourceName;
  /**
   * Fetches the latest rates of the source: that of rupees, and those of other currencies that the document has. Throws
   * `EgressError` with a message that contains no text of the response.
   */
  latest(): Promise<SourceQuote>;
}

/** The rates of a day, that of rupees first. */
export interface SourceQuote extends RateQuote {
  others: { currency: Exclude<RateCurrency, 'INR'>; rate: string }[];
}

interface ReadRates {
  date: string;
  rate: string;
  others: SourceQuote['others'];
}

interface Format {
  url: string;
  accept: string;
  read: (body: Buffer) => ReadRates;
}

const TIMEOUT_MS = 10_000;
/** The documents are about 2 KB; the limit allows growth, but not floods. */
const MAX_ANSWER_BYTES = 64 * 1024;

const FORMATS: Record<RateSourceName, Format> = {
  ecb: {
    url: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    accept: 'application/xml, text/xml',
    read: readEcb,
  },
  frankfurter: {
    url: 'https://api.frankfurter.dev/v1/latest?base=USD&symbols=INR,EUR,GBP',
    accept: 'application/json',
    read: readFrankfurter,
  },
};

/** Creates a rate source. `url` overrides the address of the document; empty uses the source's own. */
export function createRateSource(
  egress: Pick<Egress, 'post'>,
  name: RateSourceName,
  url: string,
  timeoutMs = TIMEOUT_MS,
): RateSource {
  const format = FORMATS[name];
  return {
    name,
    async latest() {
      const answer = await egress.post({
        url: url || format.url,
        method: 'GET',
        headers: { accept: format.accept },
        deadlineMs: Date.now() + timeoutMs,
        maxResponseBytes: MAX_ANSWER_BYTES,
      });
      if (answer.status !== 200) throw refused(`the source responded with status ${answer.status}`);
      const { date, rate, others } = read(format, answer.body);
      const observedAt = referenceTime(date);
      if (!observedAt) throw refused('the response names no valid day');
      return { rate, observedAt, others };
    },
  };
}

function read(format: Format, body: Buffer): ReadRates {
  try {
    return format.read(body);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'the response cannot be read');
  }
}

/** Reads the rates per euro and derives those per dollar. */
function readEcb(body: Buffer): ReadRates {
  const { date, rates } = readEcbRates(utf8(body));
  const inr = rates.get('INR') ?? '';
  const usd = rates.get('USD') ?? '';
  if (!isDecimal(inr) || !isDecimal(usd)) throw new Error('the response has no rate for USD or INR');
  const gbp = rates.get('GBP') ?? '';
  const others: ReadRates['others'] = [{ currency: 'EUR', rate: crossRate('1', usd) }];
  if (isDecimal(gbp)) others.push({ currency: 'GBP', rate: crossRate(gbp, usd) });
  return { date, rate: crossRate(inr, usd), others };
}

/** Reads `{amount, base, date, rates}`, the format of the Frankfurter service and its mirrors. */
function readFrankfurter(body: Buffer): ReadRates {
  const { amount, base, date, rates } = record(json(body));
  if (amount !== 1 || base !== 'USD' || typeof date !== 'string')
    throw new Error('the response is not a rate for one dollar');
  const textOf = (currency: RateCurrency) => {
    const rate = record(rates)[currency];
    const text = typeof rate === 'number' ? rate.toFixed(6) : '';
    return isDecimal(text) ? text : undefined;
  };
  const rate = textOf('INR');
  if (rate === undefined) throw new Error('the response has no rate for INR');
  const others = (['EUR', 'GBP'] as const).flatMap((currency) => {
    const other = textOf(currency);
    return other === undefined ? [] : [{ currency, rate: other }];
  });
  return { date, rate, others };
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Error('the response is not UTF-8 text');
  }
}

function json(body: Buffer): unknown {
  try {
    return parseStrictJson(body).value;
  } catch {
    throw new Error('the response is not JSON');
  }
}

function record(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new Error('the response has an unexpected form');
}

function refused(message: string): EgressError {
  return new EgressError('bad_response', message);
}
