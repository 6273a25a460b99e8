/** The prefix of all keys of `MARKET_META`. Agents must not use it. */
export const MARKET_PREFIX = 'io.market/';

/** `_meta` keys of the marketplace: the first six are parameters of a call, the last belongs to a list of tools,
 * and the others belong to the result of a call. */
export const MARKET_META = {
  maxCostCredits: 'io.market/max_cost_credits',
  idempotencyKey: 'io.market/idempotency_key',
  metadata: 'io.market/metadata',
  quoteId: 'io.market/quote_id',
  mandate: 'io.market/mandate',
  accept: 'io.market/accept',
  invocationId: 'io.market/invocation_id',
  traceId: 'io.market/trace_id',
  status: 'io.market/status',
  creditsCharged: 'io.market/credits_charged',
  errorCode: 'io.market/error_code',
  errorMessage: 'io.market/error_message',
  replayed: 'io.market/idempotent_replayed',
  outputExpired: 'io.market/output_expired',
  truncated: 'io.market/truncated',
  contentType: 'io.market/content_type',
  toolsDigest: 'io.market/tools_digest',
} as const;
