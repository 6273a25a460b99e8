import { type HiddenReason, HIDDEN_MESSAGES } from '../../domain/catalogue/agent-state';
import { MarketError } from '../../domain/errors';
import type { Manifest, VersionDocument } from '../../domain/catalogue/manifest';
import { type RegistrationDocument, registrationOf } from '../../domain/catalogue/registration';
import type { Cipher } from '../../kit/crypto/cipher';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import {
  listVersionsOf,
  readCurrentDocument,
  readLatestVersions,
  readVersionNumbers,
  type VersionRow,
} from '../../stores/catalogue/agent-versions';
import { type AgentRow, listAgentsOf, readAgent } from '../../stores/catalogue/agents';
import { type HiddenReasonRow, readHiddenReasons } from '../../stores/catalogue/hidden-reasons';
import type { Db, DbPool } from '../../stores/db';
import { signingSecretContext } from '../calls/agent/agent-envelope';
import { toRegistrationView } from './registrations';
import type { UpstreamCredentials } from './upstream-credentials';

export interface PublishingViewsDeps {
  pool: DbPool;
  cipher: Cipher;
  credentials: Pick<UpstreamCredentials, 'areSet'>;
}

export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

const AGENT_POSITION = [/^[0-9]{1,18}$/, /^agt_[a-z0-9_]{1,90}$/];
const VERSION_POSITION = [/^[0-9]{1,9}$/, /^[0-9]{1,9}$/, /^[0-9]{1,9}$/];

/** A developer's own agents, with endpoint and signing secret; those of others are 404. */
export function createPublishingViews(deps: PublishingViewsDeps) {
  const { pool, cipher } = deps;

  async function own(userId: string, agentId: string): Promise<AgentRow> {
    const agent = await readAgent(pool, agentId);
    if (agent?.developerUserId !== userId) throw new MarketError('not_found');
    return agent;
  }

  async function view(agent: AgentRow) {
    const [made] = await ownAgents(deps, [agent]);
    if (!made) throw new Error(`agent ${agent.agentId} was lost`);
    return made;
  }

  return {
    async get(userId: string, agentId: string) {
      return view(await own(userId, agentId));
    },

    /** With the manifest, or the registration, of the serving version, or of the latest when none serves. */
    async getDetail(userId: string, agentId: string) {
      const agent = await own(userId, agentId);
      const secret = await cipher.open(agent.sealedSigningSecret, signingSecretContext(agentId));
      const document = await readCurrentDocument(pool, agentId);
      const shown = await view(agent);
      return { ...shown, signing_secret: secret.toString(), ...described(agent, document, shown) };
    },

    /** Newest first. */
    async list(userId: string, page: PageRequest) {
      const scope = `own-agents/${userId}`;
      const before = readCursor(scope, page.cursor, AGENT_POSITION);
      const { agents, total } = await listAgentsOf(pool, userId, { limit: page.limit + 1, before });
      const shown = agents.slice(0, page.limit);
      const last = agents.length > page.limit ? shown.at(-1) : undefined;
      return {
        items: await ownAgents(deps, shown),
        next_cursor: last ? encodeCursor(scope, [last.position, last.agentId]) : null,
        total,
      };
    },

    /** Highest first. */
    async versions(userId: string, agentId: string, page: PageRequest) {
      await own(userId, agentId);
      const scope = `own-versions/${agentId}`;
      const [major, minor, patch] = readCursor(scope, page.cursor, VERSION_POSITION)?.map(Number) ?? [];
      const before = major === undefined ? undefined : { major, minor: minor ?? 0, patch: patch ?? 0 };
      const { versions, total } = await listVersionsOf(pool, agentId, { limit: page.limit + 1, before });
      const shown = versions.slice(0, page.limit);
      const last = versions.length > page.limit ? shown.at(-1)?.number : undefined;
      return {
        items: shown.map(toVersion),
        next_cursor: last ? encodeCursor(scope, [last.major, last.minor, last.patch].map(String)) : null,
        total,
      };
    },

    /** Whether search finds the agent, and every reason at once why it does not or soon will not. */
    async visibility(publisher: { userId: string; registrationPaid: boolean }, agentId: string) {
      const agent = await own(publisher.userId, agentId);
      return visibilityOf(agent, publisher.registrationPaid, await readHiddenReasons(pool, agentId));
    },
  };
}

export type PublishingViews = ReturnType<typeof createPublishingViews>;

function described(agent: AgentRow, document: VersionDocument, view: { upstream_auth_set: boolean }) {
  if (agent.kind === 'manifest') return { manifest: document as Manifest, registration: null };
  const registration = registrationOf(document as RegistrationDocument);
  return { manifest: null, registration: toRegistrationView(registration, view.upstream_auth_set) };
}

function readCursor(
  scope: string,
  cursor: string | undefined,
  patterns: readonly RegExp[],
): string[] | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, patterns);
  if (position) return position;
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function visibilityOf(agent: AgentRow, registrationPaid: boolean, hidden: readonly HiddenReasonRow[]) {
  const codes: HiddenReason[] = [];
  if (agent.status !== 'active') codes.push(agent.status);
  if (!registrationPaid) codes.push('registration_unpaid');
  if (!agent.servingVersionId) codes.push('not_verified');
  const own = codes.map((code) => ({
    code,
    message: HIDDEN_MESSAGES[code],
    since: (code === 'not_verified' ? agent.createdAt : agent.updatedAt).toISOString(),
  }));
  const stored = hidden.map(({ code, since, deadline }) => ({
    code,
    message: HIDDEN_MESSAGES[code],
    since: since.toISOString(),
    ...(deadline && { deadline: deadline.toISOString() }),
  }));
  return { listed: agent.listed && agent.status === 'active', reasons: [...own, ...stored] };
}

function toVersion(row: VersionRow) {
  return {
    version: row.version,
    status: row.state,
    endpoint_url: row.endpointUrl,
    pricing: row.pricing,
    reject_reason: row.rejectReason,
    manifest_sha256: row.manifestSha256,
    created_at: row.createdAt.toISOString(),
    submitted_at: row.submittedAt?.toISOString() ?? null,
    live_at: row.liveAt?.toISOString() ?? null,
  };
}

/** The agents as their owner sees them, in their order. */
async function ownAgents({ pool, credentials }: PublishingViewsDeps, agents: readonly AgentRow[]) {
  const views = await toOwnAgents(pool, agents);
  const ids = agents.map(({ agentId }) => agentId);
  const set = await credentials.areSet(pool, ids);
  return views.map((view) => ({ ...view, upstream_auth_set: set.has(view.agent_id) }));
}

async function toOwnAgents(db: Db, agents: readonly AgentRow[]) {
  const latest = await readLatestVersions(
    db,
    agents.map(({ agentId }) => agentId),
  );
  const servingIds = agents.flatMap(({ servingVersionId }) => servingVersionId ?? []);
  const serving = await readVersionNumbers(db, servingIds);
  return agents.map((agent) => {
    const version = latest.get(agent.agentId);
    if (!version) throw new Error(`agent ${agent.agentId} has no version`);
    return toOwnAgent(agent, version, serving.get(agent.servingVersionId ?? '') ?? null);
  });
}

function toOwnAgent(agent: AgentRow, latest: VersionRow, servingVersion: string | null) {
  return {
    agent_id: agent.agentId,
    slug: agent.slug,
    kind: agent.kind,
    status: agent.status,
    display_name: latest.displayName,
    serving_version: servingVersion,
    latest_version: toVersion(latest),
    listed: agent.listed,
    badge: agent.badge,
    trust_score: agent.trustScore,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}
