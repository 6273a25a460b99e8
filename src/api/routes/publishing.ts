import {
  getOwnAgent,
  getVisibility,
  listOwnAgents,
  listOwnVersions,
  publishAgent,
  retireAgent,
  reverifyAgent,
  submitVersion,
} from '../../contract/publishing';
import { MarketError } from '../../domain/errors';
import type { VerificationTrigger } from '../../engine/verification';
import type { PublishedVersion, Publisher, Publishing } from '../../services/catalogue/publishing';
import type { PublishingViews } from '../../services/catalogue/publishing-views';
import type { Principal } from '../identity/principal';
import type { RouteBinder } from '../binding/route';

export interface PublishingRouteDeps {
  publishing: Publishing;
  publishingViews: PublishingViews;
  verificationTrigger: VerificationTrigger;
}

/** POST and GET /v1/developer/agents and what lies below it. */
export function publishingRoutes(binder: RouteBinder, deps: PublishingRouteDeps): void {
  const { publishing, publishingViews: views, verificationTrigger } = deps;

  binder.bind(publishAgent, async ({ body, principal }) => {
    const { manifest, bundle_base64: bundleBase64, submit = true } = body;
    const published = await publishing.publish(publisherOf(principal), { manifest, bundleBase64, submit });
    if (published.state === 'submitted') await verificationTrigger.ask({ ...published, reason: 'published' });
    return toAnswer(published);
  });

  binder.bind(submitVersion, async ({ params, principal }) => {
    const submitted = await publishing.submit(publisherOf(principal), params.agent_id, params.version);
    await verificationTrigger.ask({ ...submitted, reason: 'published' });
    return toAnswer(submitted);
  });

  binder.bind(reverifyAgent, async ({ params, principal }) => {
    const target = await publishing.reverify(principal.userId, params.agent_id);
    await verificationTrigger.ask({ ...target, reason: 'reverify' });
    return toAnswer(target);
  });

  binder.bind(retireAgent, async ({ params, principal }) => {
    await publishing.retire(principal.userId, params.agent_id);
    return views.get(principal.userId, params.agent_id);
  });

  const page = (query: { limit?: number; cursor?: string }) => ({
    limit: query.limit ?? 20,
    cursor: query.cursor,
  });
  binder.bind(listOwnAgents, ({ query, principal }) => views.list(principal.userId, page(query)));
  binder.bind(getOwnAgent, ({ params, principal }) => views.getDetail(principal.userId, params.agent_id));
  binder.bind(listOwnVersions, ({ params, query, principal }) =>
    views.versions(principal.userId, params.agent_id, page(query)),
  );
  binder.bind(getVisibility, ({ params, principal }) => views.visibility(principal, params.agent_id));
}

function publisherOf(principal: Principal): Publisher {
  const { userId, developerId, registrationPaid } = principal;
  if (developerId === null) throw new MarketError('forbidden');
  return { userId, developerId, registrationPaid };
}

function toAnswer(published: PublishedVersion) {
  const { agentId, slug, version, state } = published;
  return { agent_id: agentId, slug, version, status: state };
}
