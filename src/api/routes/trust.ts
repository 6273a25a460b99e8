import {
  acknowledgeFinding,
  followListings,
  getBadge,
  getTrustReport,
  listFindings,
  listTrustReports,
} from '../../contract/trust';
import { getOwnScore } from '../../contract/own-score';
import type { ListingWatch } from '../../services/catalogue/listing-watch';
import type { TrustReports } from '../../services/verification/trust-reports';
import type { Config } from '../../config';
import { HANDLED } from '../answers/answer';
import { NEVER_SHARED } from '../answers/known-tag';
import type { RouteBinder } from '../binding/route';
import { startEventStream } from '../answers/sse';
import { lifeOf } from '../answers/stream-life';
import type { Authentication } from '../identity/authentication';
import { createStreamCredentials } from '../identity/stream-credentials';
import { createStreamPlaces } from '../requests/stream-places';
import { idPosition, listPage } from '../requests/list-page';
import { findingView, listingChangeView, ownScoreView } from '../views/trust';

export interface TrustRouteDeps {
  trustReports: TrustReports;
  listingWatch: Pick<ListingWatch, 'follow'>;
  config: Pick<Config, 'EVENT_STREAMS_PER_ACCOUNT' | 'EVENT_STREAMS'>;
  authentication: Pick<Authentication, 'isStillValid'>;
}

const REPORT_POSITION = [/^[0-9]{1,18}$/];
const FINDING_POSITION = idPosition('fnd');
/** How long caches may show a badge before they revalidate it. */
const BADGE_CACHE = 'public, max-age=60';

/** Trust reports, findings, badges, and the stream of their changes. */
export function trustRoutes(binder: RouteBinder, deps: TrustRouteDeps): void {
  bindReports(binder, deps);
  bindStream(binder, deps);
}

/** The stream of changes. It ends after a while, so that its client authenticates again and resumes. */
function bindStream(binder: RouteBinder, { config, listingWatch, authentication }: TrustRouteDeps): void {
  const credentials = createStreamCredentials(authentication);
  const places = createStreamPlaces(
    config,
    `The account has ${config.EVENT_STREAMS_PER_ACCOUNT} streams of listings, the most at a time. End one.`,
  );
  binder.bind(followListings, async ({ principal: { userId }, query, req, res }) => {
    places.enter(userId, res);
    const stream = startEventStream(res);
    const signal = lifeOf(req, res, stream.closed, credentials);
    stream.begin();
    for await (const change of listingWatch.follow(query.after, signal))
      await stream.send(listingChangeView(change));
    res.end();
    return HANDLED;
  });
}

function bindReports(binder: RouteBinder, { trustReports }: TrustRouteDeps): void {
  binder.bind(getOwnScore, async ({ params, principal }) =>
    ownScoreView(await trustReports.ownScore(principal.userId, params.agent_id)),
  );
  binder.bind(getTrustReport, ({ params, caller }) => trustReports.newest(caller?.userId, params.agent_id));
  binder.bind(listTrustReports, ({ params: { agent_id: agentId }, query, caller }) =>
    listPage(
      { list: ['trust-reports', agentId], position: REPORT_POSITION, query },
      ([beforeSequence], limit) => trustReports.history(caller?.userId, agentId, { limit, beforeSequence }),
      { position: ({ sequence }) => [sequence], view: ({ report }) => report },
    ),
  );
  binder.bind(getBadge, async ({ params, caller, res }) => {
    const { svg, visibility } = await trustReports.badge(caller?.userId, params.agent_id);
    res.setHeader('Content-Type', 'image/svg+xml; charset=utf-8');
    res.setHeader('Cache-Control', visibility === 'private' ? NEVER_SHARED : BADGE_CACHE);
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.end(svg);
    return HANDLED;
  });
  binder.bind(listFindings, ({ params: { agent_id: agentId }, query, principal: { userId } }) =>
    listPage(
      { list: ['findings', agentId, query.status], position: FINDING_POSITION, query },
      ([beforeId], limit) =>
        trustReports.findings(userId, agentId, { status: query.status, limit, beforeId }),
      { position: ({ findingId }) => [findingId], view: findingView },
    ),
  );
  binder.bind(acknowledgeFinding, async ({ params, principal }) =>
    findingView(await trustReports.acknowledge(principal.userId, params.agent_id, params.finding_id)),
  );
}
