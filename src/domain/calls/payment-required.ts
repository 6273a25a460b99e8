/**
 * Describes the missing credits of a call as an x402 version 2 `PaymentRequired`, so that x402 clients can
 * read it. The object is informational: calls are paid from the wallet, so `accepts` names credits and the
 * top-up URL, not an on-chain payment. Agents with a USD price show it under `extensions`.
 */

import type { MarketError } from '../errors';

/** The `_meta` key of an MCP result, and the metadata keys of A2A messages (x402 version 2, "A2A transport"). */
export const PAYMENT_REQUIRED_KEYS = {
  mcp: 'x402/payment-required',
  a2aStatus: 'x402.payment.status',
  a2aRequired: 'x402.payment.required',
  a2aPayload: 'x402.payment.payload',
  a2aReceipts: 'x402.payment.receipts',
  a2aError: 'x402.payment.error',
} as const;

/** The value of `PAYMENT_REQUIRED_KEYS.a2aStatus`. */
export const PAYMENT_REQUIRED_STATUS = 'payment-required';

/** The extension of A2A that the A2A transport of x402 version 2 names. */
export const X402_EXTENSION = 'https://github.com/google-a2a/a2a-x402/v0.1';

/** Where a call was made that needs a payment. */
export interface PaymentPlace {
  /** Public base URL of the marketplace, without a trailing slash. */
  origin: string;
  /** URL that was called. */
  resourceUrl: string;
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

/**
 * Builds the object for a call that was refused with 402; undefined if the error is about no call. One credit is one US
 * cent (specification, "Billing").
 */
export function paymentRequired(
  { code, message, payment }: Pick<MarketError, 'code' | 'message' | 'payment'>,
  { origin, resourceUrl }: PaymentPlace,
): PaymentRequired | undefined {
  if (!payment) return undefined;
  const { agentId, creditsNeeded, x402 } = payment;
  const reason = `${code}: ${message}`;
  return {
    x402Version: 2,
    error: reason,
    resource: {
      url: resourceUrl,
      description: `One call of ${payment.displayName}`,
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'credits',
        network: 'market:credits',
        amount: String(creditsNeeded),
        asset: 'credit',
        payTo: agentId,
        maxTimeoutSeconds: Math.ceil(payment.timeoutMs / 1_000),
        extra: {
          // Clients without a wallet for this scheme print the requirements, not the error.
          reason,
          usd_cents_per_credit: 1,
          balance_url: `${origin}/v1/billing/balance`,
          topup_url: `${origin}/v1/billing/topup`,
        },
      },
    ],
    extensions: x402
      ? { 'io.market/x402-price': { info: { price_usd: x402.priceUsd, pay_to: x402.payTo } } }
      : {},
  };
}
