import { AGENT_NOTICES } from '../../domain/catalogue/agent-notice';
import { HIDDEN_MESSAGES } from '../../domain/catalogue/agent-state';
import { completeJobs } from '../../domain/catalogue/capabilities';
import { SHOWN_SIGNATURES } from '../../domain/catalogue/cards/card-listing';
import { MANIFEST_DEFAULTS, type Manifest } from '../../domain/catalogue/manifest';
import { declaredOf, type RegistrationDocument, registrationOf } from '../../domain/catalogue/registration';
import { priceCreditsOf } from '../../domain/catalogue/registration-price';
import type { Ownership } from '../../services/verification/ownership/endpoint-ownership';
import type { AgentNotice } from '../../services/catalogue/agent-notices';
import type { PublishedVersion } from '../../services/catalogue/publishing';
import type {
  OwnAgent,
  OwnAgentDetail,
  OwnRun,
  OwnVersion,
  OwnVersionDetail,
  Visibility,
} from '../../services/catalogue/publishing-views';
import type { OwnRegistration } from '../../services/catalogue/registrations';
import type { RegisteredVersion } from '../../services/catalogue/registration-versions';
import type { AccessRequestRow, LinkedAgent } from '../../services/catalogue/visibility/access-requests';
import type { AudienceRow } from '../../services/catalogue/visibility/visibility';

export function publishedVersionView({ agentId, slug, version, state }: PublishedVersion) {
  return { agent_id: agentId, slug, version, status: state };
}

export function registeredVersionView(version: RegisteredVersion) {
  return {
    agent_id: version.agentId,
    owner: version.owner,
    slug: version.slug,
    status: version.state,
    upstream_auth_set: version.credentialSet,
    price_credits: version.priceCredits,
  };
}

function ownershipView({ host, token, places, proof }: Ownership) {
  return {
    host,
    status: proof ? ('proven' as const) : ('unproven' as const),
    method: proof?.method ?? null,
    proven_at: proof?.provenAt?.toISOString() ?? null,
    checked_at: proof?.checkedAt?.toISOString() ?? null,
    token,
    file_url: places.fileUrl,
    dns_name: places.dnsName,
    challenge_url: places.challengeUrl,
    header: places.header,
  };
}

export function registrationView({ registration, credentialSet, cardSignature }: OwnRegistration) {
  const { access_config: access, x402, vertical, icon_url, capabilities } = registration;
  return {
    slug: registration.slug,
    name: registration.name,
    vertical: vertical ?? null,
    icon_url: icon_url ?? null,
    access_config: {
      endpoint_url: access.endpoint_url,
      price_per_call_units: access.price_per_call_units ?? null,
      protocol: access.protocol ?? ('http' as const),
    },
    x402: x402 ?? null,
    pricing: registration.pricing ?? null,
    timeout_ms: registration.timeout_ms ?? MANIFEST_DEFAULTS.timeoutMs,
    max_payload_bytes: registration.max_payload_bytes ?? MANIFEST_DEFAULTS.payloadBytes,
    max_concurrency: registration.max_concurrency ?? null,
    ...declaredOf(registration),
    ...(capabilities?.jobs && { capabilities: { ...capabilities, jobs: completeJobs(capabilities.jobs) } }),
    upstream_auth_set: credentialSet,
    price_credits: priceCreditsOf(registration),
    ...(cardSignature && { card_signature: SHOWN_SIGNATURES[cardSignature] }),
  };
}

export function ownAgentView(agent: OwnAgent) {
  return {
    agent_id: agent.agentId,
    slug: agent.slug,
    kind: agent.kind,
    status: agent.status,
    display_name: agent.latestVersion.displayName,
    serving_version: agent.servingVersion,
    latest_version: ownVersionView(agent.latestVersion),
    listed: agent.listed,
    visibility: agent.visibility,
    badge: agent.badge,
    trust_score: agent.trustScore,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    upstream_auth_set: agent.credentialSet,
  };
}

/** With the signing secret, what the agent was published by (a manifest or a registration), and the newest run. */
export function ownAgentDetailView(agent: OwnAgentDetail, ownership: Ownership | null) {
  return {
    ...ownAgentView(agent),
    signing_secret: agent.signingSecret,
    previous_secret_expires_at: agent.previousSecretUntil?.toISOString() ?? null,
    ...sourceView(agent),
    ownership: ownership && ownershipView(ownership),
    latest_run: agent.latestRun && ownRunView(agent.latestRun),
  };
}

function ownRunView(run: OwnRun) {
  return {
    run_id: run.runId,
    version: run.version,
    state: run.state,
    started_at: run.startedAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
    stages: run.stages.map(({ stage, startedAt, finishedAt }) => ({
      stage,
      started_at: startedAt?.toISOString() ?? null,
      finished_at: finishedAt?.toISOString() ?? null,
      failed: run.failures.some((failure) => failure.stage === stage),
    })),
    failures: run.failures.map((failure) => ({
      stage: failure.stage,
      what: failure.what,
      remedy: failure.remedy,
      address: failure.address,
      invocation_id: failure.invocationId,
      finding_id: failure.findingId,
    })),
  };
}

/** With what the version was published by. */
export function ownVersionDetailView(version: OwnVersionDetail) {
  return { ...ownVersionView(version), ...sourceView(version) };
}

function sourceView({
  kind,
  document,
  credentialSet,
}: Pick<OwnVersionDetail, 'kind' | 'document' | 'credentialSet'>) {
  if (kind === 'manifest') return { manifest: document as Manifest, registration: null };
  const registered = document as RegistrationDocument;
  const registration = registrationOf(registered);
  const cardSignature = registered.agent_card?.signature;
  return { manifest: null, registration: registrationView({ registration, credentialSet, cardSignature }) };
}

export function ownVersionView(version: OwnVersion) {
  return {
    version: version.version,
    status: version.state,
    endpoint_url: version.endpointUrl,
    pricing: version.pricing,
    price_effective_at: version.formerPrice?.until.toISOString() ?? null,
    former_pricing: version.formerPrice?.pricing ?? null,
    reject_reason: version.rejectReason,
    manifest_sha256: version.manifestSha256,
    created_at: version.createdAt.toISOString(),
    submitted_at: version.submittedAt?.toISOString() ?? null,
    live_at: version.liveAt?.toISOString() ?? null,
  };
}

export function visibilityView({ visibility, audience, linkMadeAt, listed, reasons }: Visibility) {
  return {
    visibility,
    audience,
    access_link_made_at: linkMadeAt?.toISOString() ?? null,
    listed,
    reasons: reasons.map(({ code, since, deadline, statement }) => ({
      code,
      message: HIDDEN_MESSAGES[code],
      since: since.toISOString(),
      ...(deadline && { deadline: deadline.toISOString() }),
      ...(statement !== undefined && { statement }),
    })),
  };
}

export function agentNoticeView({ noticeId, kind, version, firstSeenAt }: AgentNotice) {
  return {
    notice_id: noticeId,
    code: kind,
    message: AGENT_NOTICES[kind],
    version,
    first_seen_at: firstSeenAt.toISOString(),
  };
}

export const audienceView = ({ namedAs, addedAt }: AudienceRow) => ({
  account_id: namedAs,
  added_at: addedAt.toISOString(),
});

export const accessRequestView = (request: AccessRequestRow) => ({
  request_id: request.requestId,
  agent_id: request.agentId,
  account_id: request.ownerId,
  name: request.name,
  reason: request.reason,
  state: request.state,
  asked_at: request.askedAt.toISOString(),
  decided_at: request.decidedAt?.toISOString() ?? null,
});

export const linkedAgentView = ({ agentId, displayName, developerName, isShown, state }: LinkedAgent) => ({
  agent_id: agentId,
  display_name: displayName,
  developer_name: developerName,
  shown: isShown,
  state,
});
