import { getDeveloper } from '../../contract/developers';
import {
  getListing,
  getListingBySlug,
  getListingFigures,
  listListings,
  previewAgent,
} from '../../contract/listings';
import { UNITS_PER_CREDIT } from '../../domain/ledger/money';
import type { Listings, NearestListings } from '../../services/catalogue/listings';
import { listPage } from '../requests/list-page';
import {
  developerView,
  foundListingView,
  listingDetailView,
  LISTING_POSITION,
  listingFiguresView,
  nearestView,
} from '../views/listings';
import type { RouteBinder } from '../binding/route';

export interface ListingRouteDeps {
  listings: Listings;
}

/** GET /v1/listings and what belongs to one listing or one developer. */
export function listingRoutes(binder: RouteBinder, { listings }: ListingRouteDeps): void {
  binder.bind(listListings, async ({ query }) => {
    const { q, category, tag: tags, badge, sort = 'relevance', protocol, max_price: maxPrice } = query;
    const search = {
      q,
      category,
      tags,
      badge,
      minTrustScore: query.min_trust_score,
      maxPriceUnits: maxPrice === undefined ? undefined : Math.floor(maxPrice * UNITS_PER_CREDIT),
      pricingModel: query.pricing_model,
      protocol,
      minSuccessRate: query.min_success_rate,
      maxP50Ms: query.max_p50_ms,
      streaming: query.streaming,
      jobs: query.jobs,
      chat: query.chat,
      residency: query.residency,
      maxRetentionDays: query.max_retention_days,
      developerId: query.developer_id,
      sort,
    };
    const more: { isNear: boolean; nearest: NearestListings | undefined } = {
      isNear: false,
      nearest: undefined,
    };
    const page = await listPage(
      { list: ['listings', search], position: LISTING_POSITION, query },
      async (after, limit) => {
        const found = await listings.search(search, { limit, after });
        Object.assign(more, { isNear: found.isNear, nearest: found.nearest });
        return found;
      },
      { position: ({ sortKey, agentId }) => [sortKey, agentId], view: foundListingView },
    );
    const { isNear, nearest } = more;
    return { ...page, ...(isNear && { near: true as const }), ...(nearest && nearestView(nearest)) };
  });
  binder.bind(getListingBySlug, async ({ params, caller }) =>
    listingDetailView(await listings.getBySlug(params.slug, caller?.userId)),
  );
  binder.bind(getListing, async ({ params, caller }) =>
    listingDetailView(await listings.get(params.agent_id, caller?.userId)),
  );
  binder.bind(previewAgent, async ({ params, principal }) =>
    listingDetailView(await listings.preview(principal.userId, params.agent_id)),
  );
  binder.bind(getListingFigures, async ({ params, caller }) =>
    listingFiguresView(params.agent_id, await listings.figures(params.agent_id, caller?.userId)),
  );
  binder.bind(getDeveloper, async ({ params, caller }) =>
    developerView(await listings.developer(params.developer_id, caller?.userId)),
  );
}
