/**
 * The extension of an agent's card with price, trust and terms, so that a client can choose an agent by its card alone.
 * `contract/a2a-terms.ts` has the JSON schema, which is published at the URI of the extension.
 */
import type { Warranty } from '../bonds/warranty';
import type { Manifest, Pricing } from '../catalogue/manifest';
import { priceUnitsOf } from '../catalogue/manifest';
import { unitsToCredits } from '../ledger/money';
import type { NextPrice } from '../prices/price-words';
import type { Json } from './a2a-wire';

/** The facts of a version that its terms show. */
export interface TermsFacts {
  pricing: Pricing;
  nextPrice: NextPrice | null;
  dataHandling: Manifest['data_handling'];
  trustScore: number | null;
  badge: string | null;
  /** With its history; null for none. */
  warranty: (Warranty & { months_kept: number; months_broken: number }) | null;
  disputeDays: number;
}

/** URI of the extension, and the address of its schema. */
export function termsExtension(origin: string): string {
  return `${origin}/ext/agent-terms/v1`;
}

/**
 * The member of `capabilities.extensions`. A credit is one US cent. Empty members are left out, as in the rest of the
 * card, because libraries drop them before they verify its signature.
 */
export function termsExtensionOf(origin: string, agentId: string, facts: TermsFacts): Json {
  const { pricing, nextPrice, dataHandling, trustScore, badge, warranty, disputeDays } = facts;
  const { subprocessors, ...handling } = dataHandling;
  return {
    uri: termsExtension(origin),
    description: 'What a call costs, how far the agent has been verified, and the terms of a call.',
    params: {
      price: {
        currency: 'credits',
        credit_usd: 0.01,
        most_credits: unitsToCredits(priceUnitsOf(pricing)),
        ...pricing,
        ...(nextPrice && {
          next: {
            effective_at: nextPrice.effectiveAt.toISOString(),
            most_credits: unitsToCredits(priceUnitsOf(nextPrice.pricing)),
            ...nextPrice.pricing,
          },
        }),
      },
      trust: {
        ...(trustScore !== null && { score: trustScore }),
        ...(badge !== null && { badge }),
        ...(warranty && { warranty }),
        report_url: `${origin}/v1/agents/${agentId}/trust-report`,
      },
      terms: {
        failed_calls_are_free: true,
        dispute_days: disputeDays,
        listing_url: `${origin}/v1/listings/${agentId}`,
        data_handling: { ...handling, ...(subprocessors.length > 0 && { subprocessors }) },
      },
    },
  };
}
