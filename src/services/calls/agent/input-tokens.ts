import { isAboveCeiling, leastCostOf } from '../../../domain/catalogue/pricing';
import { UNITS_PER_CREDIT } from '../../../domain/ledger/money';
import { LONGEST_TOKEN_BYTES, type TokenCounter } from '../../../kit/tokens/tokens';
import { readBuyerMeans } from '../../../stores/calls/buyer-means';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { Db } from '../../../stores/db';

/** Counting a shorter input costs less than to read what its buyer can pay. */
const COUNTED_AT_ONCE_BYTES = 4 * 1024;

interface PricedRequest {
  buyerUserId: string;
  input: { body: Buffer };
  ceilingCredits: number | null;
}

/** `tokensIn`: null if they were not counted. `atLeast`: what is known without counting. */
export interface InputTokens {
  tokensIn: number | null;
  atLeast: number;
}

/**
 * Counts the tokens of an input that is priced by tokens, so that an input over the ceiling is refused before the call.
 * An input whose refusal is certain is not counted: its fewest tokens are above the ceiling, or its buyer has neither
 * the price nor a free call. An account without credits therefore cannot keep the counter busy.
 */
export async function inputTokens(
  { pool, tokens }: { pool: Db; tokens: TokenCounter },
  request: PricedRequest,
  version: ServingVersion,
): Promise<InputTokens> {
  if (version.terms.model !== 'per_token') return { tokensIn: null, atLeast: 0 };
  const { body } = request.input;
  const atLeast = Math.ceil(body.length / LONGEST_TOKEN_BYTES);
  if (body.length > COUNTED_AT_ONCE_BYTES && (await isRefused(pool, request, version, atLeast)))
    return { tokensIn: null, atLeast };
  const [tokensIn = 0] = await tokens.count(request.buyerUserId, [body]);
  return { tokensIn, atLeast: tokensIn };
}

async function isRefused(
  pool: Db,
  request: PricedRequest,
  version: ServingVersion,
  atLeast: number,
): Promise<boolean> {
  const { walletUnits, hasFreeCall } = await readBuyerMeans(pool, request.buyerUserId, version);
  if (hasFreeCall) return false;
  const { ceilingCredits } = request;
  if (isAboveCeiling(leastCostOf(version.terms, atLeast), ceilingCredits)) return true;
  return walletUnits < Math.min(version.terms.maxCredits, ceilingCredits ?? Infinity) * UNITS_PER_CREDIT;
}
