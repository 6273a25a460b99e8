/** What a call of a version `v` costs now, as SQL. `invocation_decide.sql` decides by the same columns. */
import type { Pricing } from '../../domain/catalogue/manifest';
import type { NextPrice } from '../../domain/prices/price-words';

/** The column `former_price`. */
export interface FormerPrice {
  pricing: Pricing;
  price_units: number;
  /** Of a self-hosted agent with a price in USD. */
  price_usd?: string | null;
}

const byTime = (former: string, own: string) =>
  `(CASE WHEN now() < v.price_effective_at THEN ${former} ELSE ${own} END)`;

export const CHARGED_UNITS = byTime(`(v.former_price ->> 'price_units')::bigint`, 'v.price_units');
export const CHARGED_MODEL = byTime(`v.former_price #>> '{pricing,model}'`, 'v.pricing_model');
export const CHARGED_FREE_CALLS = byTime(
  `(v.former_price #>> '{pricing,free_tier_calls}')::integer`,
  'v.free_tier_calls',
);

/** The columns of a version for `chargedPricing`. */
export const PRICE_COLUMNS = `v.price_effective_at, v.former_price, coalesce(now() < v.price_effective_at, false) AS is_former`;

export interface PriceColumns {
  price_effective_at: Date | null;
  former_price: FormerPrice | null;
  is_former: boolean;
}

/** The price of calls now, and the announced one. `own` is that of the version. */
export function chargedPricing(
  own: Pricing,
  { price_effective_at: effectiveAt, former_price: former, is_former: isFormer }: PriceColumns,
): { pricing: Pricing; next: NextPrice | null } {
  if (!isFormer || !former || !effectiveAt) return { pricing: own, next: null };
  return { pricing: former.pricing, next: { pricing: own, effectiveAt } };
}
