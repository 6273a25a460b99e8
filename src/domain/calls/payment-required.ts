/**
 * What a caller lacks when a call finds too few credits, in the words of x402 version 2 (`PaymentRequired`), so that a
 * program that knows x402 can read it. It is for reading only: calls are paid from the wallet, so `accepts` names
 * credits and how to get them, never an on-chain payment that nobody would settle. An agent whose price was set in
 * USD says so under `extensions`.
 */

/** `_meta` key of an MCP result, and the metadata keys of an A2A status message. */
export const PAYMENT_REQUIRED_KEYS = {
  mcp: 'x402/payment-required',
  a2aStatus: 'x402.payment.status',
  a2aRequired: 'x402.payment.required',
} as const;

/** The value of `PAYMENT_REQUIRED_KEYS.a2aStatus`. */
export const PAYMENT_REQUIRED_STATUS = 'payment-required';

export interface PaymentTerms {
  /** Where clients reach the marketplace, without a slash at the end. */
  origin: string;
  /** The address that was called. */
  resourceUrl: string;
  agentId: string;
  displayName: string;
  /** Whole credits that must be in the wallet for the call to begin. */
  creditsNeeded: number;
  /** Until when the agent must have answered. */
  timeoutMs: number;
  /** For an agent whose price was set in USD. */
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

/** x402 version 2, "PaymentRequired". */
export interface PaymentRequired {
  x402Version: 2;
  error: string;
  resource: { url: string; description: string; mimeType: string };
  accepts: PaymentRequirement[];
  extensions: Record<string, unknown>;
}

/** One credit is one US cent (specification, "Billing"). */
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
