/**
 * Public sources of the rate of exchange USD in INR. Both give the reference rates of the European Central Bank, of one
 * day, on its working days; each answer is checked whole before anything of it is believed.
 */
import {
  crossRate,
  isDecimal,
  type RateQuote,
  type RateSourceName,
  referenceTime,
} from '../domain/payouts/exchange-rate';
import { readEcbRates } from '../kit/rails/ecb-rates';
import { parseStrictJson } from '../kit/json/strict-json';
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';

export interface RateSource {
  name: RateSourceName;
  /** The newest rate that the source has. Throws `EgressError`, with a message in our words. */
  latest(): Promise<RateQuote>;
}

interface Format {
  url: string;
  accept: string;
  read: (body: Buffer) => { date: string; rate: string };
}

const TIMEOUT_MS = 10_000;
/** The documents have some 2 KB; growth is allowed for, floods are not. */
const MAX_ANSWER_BYTES = 64 * 1024;

const FORMATS: Record<RateSourceName, Format> = {
  ecb: {
    url: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    accept: 'application/xml, text/xml',
    read: readEcb,
  },
  frankfurter: {
    url: 'https://api.frankfurter.dev/v1/latest?base=USD&symbols=INR',
    accept: 'application/json',
    read: readFrankfurter,
  },
};

/** `url` is the document's whole address; empty: the source's own. */
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
      if (answer.status !== 200) throw refused(`the source answered ${answer.status}`);
      const { date, rate } = read(format, answer.body);
      const observedAt = referenceTime(date);
      if (!observedAt) throw refused('the source names no day');
      return { rate, observedAt };
    },
  };
}

function read(format: Format, body: Buffer): { date: string; rate: string } {
  try {
    return format.read(body);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'the answer cannot be read');
  }
}

/** Dollars and rupees for a euro. */
function readEcb(body: Buffer): { date: string; rate: string } {
  const { date, rates } = readEcbRates(utf8(body));
  const inr = rates.get('INR') ?? '';
  const usd = rates.get('USD') ?? '';
  if (!isDecimal(inr) || !isDecimal(usd)) throw new Error('USD or INR has no rate');
  return { date, rate: crossRate(inr, usd) };
}

/** `{amount, base, date, rates}`, as Frankfurter's service and its copies answer. */
function readFrankfurter(body: Buffer): { date: string; rate: string } {
  const { amount, base, date, rates } = record(json(body));
  if (amount !== 1 || base !== 'USD' || typeof date !== 'string')
    throw new Error('the answer is no rate for one dollar');
  const rate = record(rates)['INR'];
  const text = typeof rate === 'number' ? rate.toFixed(6) : '';
  if (!isDecimal(text)) throw new Error('INR has no rate');
  return { date, rate: text };
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Error('the answer is not text');
  }
}

function json(body: Buffer): unknown {
  try {
    return parseStrictJson(body).value;
  } catch {
    throw new Error('the answer is not JSON');
  }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new Error('the answer has another form');
}

function refused(message: string): EgressError {
  return new EgressError('bad_response', message);
}
