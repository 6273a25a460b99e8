/** Signed offers for one call (ADR 0263). */
import { MarketError } from '../errors';
import type { Pricing } from '../catalogue/manifest';
import { priceTerms } from '../catalogue/pricing';

/** What an offer says; its signature covers the canonical JSON of it. */
export interface QuoteTerms {
  quote_id: string;
  agent_id: string;
  version: string;
  manifest_sha256: string;
  input_sha256: string;
  pricing: Pricing;
  price_credits?: number;
  ceiling_credits?: number;
  expected_duration_ms: number | null;
  expires_at: string;
}

/** The price of a call, or the most that it costs. */
export function offeredCredits(pricing: Pricing): Pick<QuoteTerms, 'price_credits' | 'ceiling_credits'> {
  const { model, maxCredits } = priceTerms(pricing);
  return model === 'per_call' ? { price_credits: maxCredits } : { ceiling_credits: maxCredits };
}

/** The quote of a call, with its place in the request. */
export interface NamedQuote {
  id: string;
  loc: string[];
  /** The hash of the quoted input, where the agent gets further members of it: the session of a chat. */
  inputSha256?: string;
}

export const isQuoteId = (value: unknown): value is string =>
  typeof value === 'string' && /^quo_[0-9a-f]{32}$/.test(value);
export const QUOTE_ID_RULE = 'takes the id of a quote: quo_ and 32 hexadecimal digits.';

const AGAIN = 'Ask for another one: POST /v1/agents/{agent_id}/quote.';
const MISMATCHES = {
  unknown: 'names no quote of this account that has not expired',
  agent: 'names a quote for another agent',
  input: 'names a quote for another input: the call must have the input that was quoted',
} as const;

/** The refusal of a quote that does not fit the call. */
export function misfit(quote: NamedQuote, why: keyof typeof MISMATCHES): MarketError {
  return new MarketError('validation_failed', {
    message: `${quote.loc.at(-1)} ${MISMATCHES[why]}. ${AGAIN}`,
    detail: [{ loc: quote.loc, msg: MISMATCHES[why], type: `quote_${why}` }],
  });
}

const OVER = {
  quote_over: 'The quote has expired: it held for ten minutes.',
  quote_used: 'The quote has bought a call. A quote buys one call that does not fail.',
} as const;

/** The refusal of a quote that was right. */
export const spentQuote = (why: keyof typeof OVER): MarketError =>
  new MarketError('invalid_state', { message: `${OVER[why]} ${AGAIN} Nothing was charged.` });
