import { getListing, getListingBySlug, listListings } from '../../contract/listings';
import type { Listings } from '../../services/catalogue/listings';
import type { RouteBinder } from '../binding/route';

export interface ListingRouteDeps {
  listings: Listings;
}

/** GET /v1/listings, /v1/listings/{agent_id}, /v1/listings/slug/{slug}. */
export function listingRoutes(binder: RouteBinder, { listings }: ListingRouteDeps): void {
  binder.bind(listListings, ({ query }) =>
    listings.search({
      q: query.q,
      category: query.category,
      tags: query.tag,
      badge: query.badge,
      minTrustScore: query.min_trust_score,
      maxPriceCredits: query.max_price,
      pricingModel: query.pricing_model,
      protocol: query.protocol,
      sort: query.sort,
      limit: query.limit ?? 20,
      cursor: query.cursor,
    }),
  );
  binder.bind(getListingBySlug, ({ params, caller }) => listings.getBySlug(params.slug, caller?.userId));
  binder.bind(getListing, ({ params, caller }) => listings.get(params.agent_id, caller?.userId));
}
