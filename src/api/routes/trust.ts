import {
  acknowledgeFinding,
  followListings,
  getBadge,
  getTrustReport,
  listFindings,
  listTrustReports,
} from '../../contract/trust';
import type { ListingWatch } from '../../services/catalogue/listing-watch';
import type { TrustReports } from '../../services/verification/trust-reports';
import { HANDLED, type RouteBinder } from '../binding/route';
import { openEventStream } from '../answers/sse';

export interface TrustRouteDeps {
  trustReports: TrustReports;
  listingWatch: Pick<ListingWatch, 'follow'>;
}

/** Others may show a badge for so long without asking again. */
const BADGE_CACHE = 'public, max-age=60';

/** Trust reports, findings, badges, and the stream of their changes. */
export function trustRoutes(binder: RouteBinder, { trustReports, listingWatch }: TrustRouteDeps): void {
  binder.bind(getTrustReport, ({ params, principal }) =>
    trustReports.newest(principal.userId, params.agent_id),
  );
  binder.bind(listTrustReports, ({ params, query, principal }) =>
    trustReports.history(principal.userId, params.agent_id, {
      limit: query.limit ?? 20,
      cursor: query.cursor,
    }),
  );
  binder.bind(getBadge, async ({ params, res }) => {
    const svg = await trustReports.badge(params.agent_id);
    res.setHeader('Content-Type', 'image/svg+xml; charset=utf-8');
    res.setHeader('Cache-Control', BADGE_CACHE);
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.end(svg);
    return HANDLED;
  });
  binder.bind(listFindings, ({ params, query, principal }) =>
    trustReports.findings(principal.userId, params.agent_id, {
      status: query.status,
      limit: query.limit ?? 20,
      cursor: query.cursor,
    }),
  );
  binder.bind(acknowledgeFinding, ({ params, principal }) =>
    trustReports.acknowledge(principal.userId, params.agent_id, params.finding_id),
  );
  binder.bind(followListings, async ({ query, res }) => {
    const stream = openEventStream(res);
    stream.begin();
    for await (const change of listingWatch.follow(query.after, stream.closed)) {
      await stream.send({
        type: 'listing.changed',
        change_id: change.changeId,
        agent_id: change.agentId,
        slug: change.slug,
        badge: change.badge,
        trust_score: change.trustScore,
        listed: change.listed,
        at: change.at.toISOString(),
      });
    }
    return HANDLED;
  });
}
