/**
 * Describes the missing credits of a call as an x402 version 2 `PaymentRequired`, so that x402 clients can
 * read it. The object is informational: calls are paid from the wallet, so `accepts` names credits and the
 * top-up URL, not an on-chain payment. Agents with a USD price show it under `extensions`.
 */

/** The `_meta` key of an MCP result, and the metadata keys of an A2A status message. */
export const PAYMENT_REQUIRED_KEYS = {
  mcp: 'x402/payment-required',
  a2aStatus: 'x402.payment.status',
  a2aRequired: 'x402.payment.required',
} as const;

/** The value of `PAYMENT_REQUIRED_KEYS.a2aStatus`. */
export const PAYMENT_REQUIRED_STATUS = 'payment-required';

/** The call for which credits are missing. */
export interface PaymentTerms {
  /** Public base URL of the marketplace, without a trailing slash. */
  origin: string;
  /** URL that was called. */
  resourceUrl: string;
  agentId: string;
  displayName: string;
  /** Whole credits that the wallet must hold before the call starts. */
  creditsNeeded: number;
  /** The agent's timeout. */
  timeoutMs: number;
  /** Set for agents with a USD price. */
  x402?: { priceUsd: string; payTo: string } | null | undefined;
}

interface PaymentRequirement {
  scheme: string;
  /** CAIP-2 form. */
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** The `PaymentRequired` object of x402 version 2. */
export interface PaymentRequired {
  x402Version: 2;
  error: string;
  resource: { url: string; description: string; mimeType: string };
  accepts: PaymentRequirement[];
  extensions: Record<string, unknown>;
}

/** Builds the object for a call. One credit is one US cent (specification, "Billing"). */
export function paymentRequired(terms: PaymentTerms): PaymentRequired {
  const { origin, agentId, creditsNeeded } = terms;
  return {
    x402Version: 2,
    error: `insufficient_credits: this call needs ${creditsNeeded} credits in your wallet`,
    resource: {
      url: terms.resourceUrl,
      description: `One call of ${terms.displayName}`,
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'credits',
        network: 'market:credits',
        amount: String(creditsNeeded),
        asset: 'credit',
        payTo: agentId,
        maxTimeoutSeconds: Math.ceil(terms.timeoutMs / 1_000),
        extra: {
          usd_cents_per_credit: 1,
          balance_url: `${origin}/v1/billing/balance`,
          topup_url: `${origin}/v1/billing/topup`,
        },
      },
    ],
    extensions: terms.x402
      ? { 'io.market/x402-price': { info: { price_usd: terms.x402.priceUsd, pay_to: terms.x402.payTo } } }
      : {},
  };
}
