import { issueLocalCertificate } from '../../contract/local-certificates';
import {
  getOwnAgent,
  listOwnAgents,
  publishAgent,
  retireAgent,
  reverifyAgent,
  rotateSigningSecret,
} from '../../contract/publishing';
import {
  deleteDraft,
  getOwnVersion,
  listOwnVersions,
  submitVersion,
} from '../../contract/publishing-versions';
import { MarketError } from '../../domain/errors';
import { DEFAULT_GRACE_SECONDS } from '../../domain/webhooks/webhook';
import type { VerificationTrigger } from '../../engine/verification';
import type { LocalCertificates } from '../../services/catalogue/local-certificates';
import type { Publisher, Publishing } from '../../services/catalogue/publishing';
import type { EndpointOwnership } from '../../services/verification/ownership/endpoint-ownership';
import type { PublishingViews } from '../../services/catalogue/publishing-views';
import { newestOf, previousUntil, type SigningSecrets } from '../../services/catalogue/signing-secret';
import type { Principal } from '../identity/principal';
import { listPage } from '../requests/list-page';
import {
  ownAgentDetailView,
  ownAgentView,
  ownVersionDetailView,
  ownVersionView,
  publishedVersionView,
} from '../views/agents';
import type { RouteBinder } from '../binding/route';

export interface PublishingRouteDeps {
  publishing: Publishing;
  publishingViews: PublishingViews;
  ownership: Pick<EndpointOwnership, 'of'>;
  localCertificates: LocalCertificates;
  signingSecrets: SigningSecrets;
  verificationTrigger: VerificationTrigger;
}

const AGENT_POSITION = [/^[0-9]{1,18}$/, /^agt_[a-z0-9_]{1,90}$/];
const VERSION_POSITION = [/^[0-9]{1,9}$/, /^[0-9]{1,9}$/, /^[0-9]{1,9}$/];

/** /v1/developer/agents and below: publishing, and the developer's own agents. */
export function publishingRoutes(binder: RouteBinder, deps: PublishingRouteDeps): void {
  const { publishing, publishingViews: views, verificationTrigger } = deps;
  bindSigningSecret(binder, deps);

  binder.bind(publishAgent, async ({ body, principal }) => {
    const { manifest, bundle_base64: bundleBase64, submit = true } = body;
    const published = await publishing.publish(publisherOf(principal), { manifest, bundleBase64, submit });
    if (published.state === 'submitted') await verificationTrigger.ask({ ...published, reason: 'published' });
    return publishedVersionView(published);
  });

  binder.bind(issueLocalCertificate, async ({ body: { host, public_key: publicKey } }) => ({
    certificate: await deps.localCertificates.issue(host, publicKey),
  }));

  binder.bind(submitVersion, async ({ params, principal }) => {
    const submitted = await publishing.submit(publisherOf(principal), params.agent_id, params.version);
    await verificationTrigger.ask({ ...submitted, reason: 'published' });
    return publishedVersionView(submitted);
  });

  binder.bind(deleteDraft, async ({ params, principal }) => {
    await publishing.deleteDraft(principal.userId, params.agent_id, params.version);
    return undefined;
  });

  binder.bind(reverifyAgent, async ({ params, principal }) => {
    const target = await publishing.reverify(principal.userId, params.agent_id);
    await verificationTrigger.ask({ ...target, reason: 'reverify' });
    return publishedVersionView(target);
  });

  binder.bind(retireAgent, async ({ params, principal }) => {
    await publishing.retire(principal.userId, params.agent_id);
    return ownAgentView(await views.get(principal.userId, params.agent_id));
  });

  binder.bind(listOwnAgents, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['own-agents', userId], position: AGENT_POSITION, query },
      (before, limit) => views.list(userId, { before, limit }),
      { position: ({ position, agentId }) => [position, agentId], view: ownAgentView },
    ),
  );
  binder.bind(getOwnAgent, async ({ params, principal }) =>
    ownAgentDetailView(
      await views.getDetail(principal.userId, params.agent_id),
      await deps.ownership.of(params.agent_id),
    ),
  );
  binder.bind(listOwnVersions, ({ params: { agent_id: agentId }, query, principal: { userId } }) =>
    listPage(
      { list: ['own-versions', agentId], position: VERSION_POSITION, query },
      (before, limit) => views.versions(userId, agentId, { before, limit }),
      {
        position: ({ number: { major, minor, patch } }) => [major, minor, patch].map(String),
        view: ownVersionView,
      },
    ),
  );
  binder.bind(getOwnVersion, async ({ params, principal }) =>
    ownVersionDetailView(await views.getVersion(principal.userId, params.agent_id, params.version)),
  );
}

function bindSigningSecret(binder: RouteBinder, { signingSecrets }: PublishingRouteDeps): void {
  binder.bind(rotateSigningSecret, async ({ params, principal, body }) => {
    const grace = body.grace_seconds ?? DEFAULT_GRACE_SECONDS;
    const secrets = await signingSecrets.rotate(principal.userId, params.agent_id, grace);
    return {
      signing_secret: newestOf(secrets),
      previous_secret_expires_at: previousUntil(secrets)?.toISOString() ?? null,
    };
  });
}

function publisherOf(principal: Principal): Publisher {
  const { userId, developerId, registrationPaid } = principal;
  if (developerId === null) throw new MarketError('forbidden');
  return { userId, developerId, registrationPaid };
}
