import type { HiddenReason } from '../../domain/catalogue/agent-state';
import type { AgentVisibility } from '../../domain/catalogue/agent-state';
import { MarketError } from '../../domain/errors';
import { callAddress, type VersionDocument } from '../../domain/catalogue/manifest';
import { failuresOf, progressOf, type StageProgress } from '../../domain/verification/run-progress';
import type { Judgement, Stage } from '../../domain/verification/trust';
import type { Cipher } from '../../kit/crypto/cipher';
import {
  listVersionsOf,
  readCurrentDocument,
  readDocument,
  readNewestToVerify,
  readLatestVersions,
  readVersion,
  readVersionNumbers,
  type VersionRow,
} from '../../stores/catalogue/agent-versions';
import { readNewestReason } from '../../stores/accounts/operator-actions';
import { type AgentRow, listAgentsOf } from '../../stores/catalogue/agents';
import { type HiddenReasonRow, readHiddenReasons } from '../../stores/catalogue/hidden-reasons';
import { readAccessLinkTime } from '../../stores/catalogue/visibility/access-requests';
import { countAudience } from '../../stores/catalogue/visibility/audience';
import type { DbPool } from '../../stores/db';
import { readFindings } from '../../stores/verification/findings';
import { readReport } from '../../stores/verification/trust-reports';
import { type LatestRun, readLatestRun } from '../../stores/verification/verification-runs';
import { readOwnAgent } from './own-agent';
import { newestOf, unsealAgentSecrets, previousUntil } from './signing-secret';
import type { UpstreamCredentials } from './upstream-credentials';

export interface PublishingViewsDeps {
  pool: DbPool;
  cipher: Cipher;
  credentials: Pick<UpstreamCredentials, 'areSet'>;
}

export type OwnVersion = VersionRow;

/** An agent as its owner sees it. */
export interface OwnAgent extends AgentRow {
  latestVersion: OwnVersion;
  /** Null: no version serves. */
  servingVersion: string | null;
  /** True when a credential for the agent's own endpoint is stored. */
  credentialSet: boolean;
}

export interface OwnAgentDetail extends OwnAgent {
  signingSecret: string;
  /** Until when secrets before the newest one sign too; null if none does. */
  previousSecretUntil: Date | null;
  document: VersionDocument;
  /** Null before the first run. */
  latestRun: OwnRun | null;
}

/** A verification run as the owner of the agent sees it, in progress or ended. */
export interface OwnRun extends Omit<LatestRun, 'storedAt' | 'summary' | 'endpointUrl'> {
  stages: StageProgress[];
  failures: RunFailure[];
}

/** Why a run failed, and where the owner looks. */
export interface RunFailure {
  stage: Stage;
  what: string;
  remedy: string | null;
  /** Of the probe that shows it; null if it is not about a call. */
  invocationId: string | null;
  /** The address that was called; null if it is not about a call. */
  address: string | null;
  findingId: string | null;
}

/** A version with the manifest or registration that it was published by. */
export interface OwnVersionDetail extends OwnVersion {
  kind: AgentRow['kind'];
  credentialSet: boolean;
  document: VersionDocument;
}

export interface Visibility {
  visibility: AgentVisibility;
  /** Accounts that see the agent while it is private. */
  audience: number;
  /** When its link for requests was made; null without one. */
  linkMadeAt: Date | null;
  listed: boolean;
  reasons: {
    code: HiddenReason;
    since: Date;
    deadline: Date | null;
    /** What the operator wrote who suspended the agent. */
    statement?: string | undefined;
  }[];
}

/** A developer's own agents, with endpoint and signing secret. Throws `not_found` for the agents of others. */
export function createPublishingViews(deps: PublishingViewsDeps) {
  const { pool, cipher } = deps;

  const own = (userId: string, agentId: string) => readOwnAgent(pool, userId, agentId);

  async function view(agent: AgentRow): Promise<OwnAgent> {
    const [made] = await ownAgents(deps, [agent]);
    if (!made) throw new Error(`agent ${agent.agentId} was lost`);
    return made;
  }

  return {
    async get(userId: string, agentId: string): Promise<OwnAgent> {
      return view(await own(userId, agentId));
    },

    /**
     * Includes the manifest or registration of the serving version, or of the latest version if none serves, and the
     * newest verification run with its stages.
     */
    async getDetail(userId: string, agentId: string): Promise<OwnAgentDetail> {
      const agent = await own(userId, agentId);
      const secrets = await unsealAgentSecrets(cipher, agent);
      const document = await readCurrentDocument(pool, agentId);
      const run = await readLatestRun(pool, agentId);
      const latestRun = run ? await ownRun(pool, agent, run) : null;
      return {
        ...(await view(agent)),
        signingSecret: newestOf(secrets),
        previousSecretUntil: previousUntil(secrets),
        document,
        latestRun,
      };
    },

    /** Newest first. A position is creation time and id of an agent. */
    async list(userId: string, page: { limit: number; before: readonly string[] }) {
      const { rows, total } = await listAgentsOf(pool, userId, page);
      return { rows: await ownAgents(deps, rows), total };
    },

    /** Highest first. A position is the three numbers of a version. */
    async versions(userId: string, agentId: string, page: { limit: number; before: readonly string[] }) {
      await own(userId, agentId);
      const [major, minor = 0, patch = 0] = page.before.map(Number);
      const before = major === undefined ? undefined : { major, minor, patch };
      return listVersionsOf(pool, agentId, { limit: page.limit, before });
    },

    /** One version with its document, in any state. Throws `not_found` if the agent has no such version. */
    async getVersion(userId: string, agentId: string, number: string): Promise<OwnVersionDetail> {
      const { kind } = await own(userId, agentId);
      const version = await readVersion(pool, agentId, number);
      if (!version) throw new MarketError('not_found');
      const document = await readDocument(pool, version.versionId);
      const credentialSet = (await deps.credentials.areSet(pool, [agentId])).has(agentId);
      return { ...version, kind, credentialSet, document };
    },

    /** Whether search shows the agent, and all reasons why it does not or soon will not. */
    async visibility(
      publisher: { userId: string; registrationPaid: boolean },
      agentId: string,
    ): Promise<Visibility> {
      return visibilityNow(pool, publisher.registrationPaid, await own(publisher.userId, agentId));
    },
  };
}

export type PublishingViews = ReturnType<typeof createPublishingViews>;

async function ownRun(pool: DbPool, agent: AgentRow, { storedAt, ...run }: LatestRun): Promise<OwnRun> {
  const stages = progressOf(run.startedAt, storedAt);
  return { ...run, stages, failures: run.state === 'failed' ? await failuresIn(pool, agent, run) : [] };
}

/** Why a run failed. Nothing for a run without a report. */
async function failuresIn(
  pool: DbPool,
  { agentId, kind }: AgentRow,
  run: Pick<LatestRun, 'runId' | 'summary' | 'endpointUrl'>,
): Promise<RunFailure[]> {
  const report = await readReport(pool, run.runId);
  if (!report) return [];
  const failures = failuresOf(JSON.parse(report.judgement) as Judgement);
  const prints = failures.flatMap(({ finding }) => finding?.fingerprint ?? []);
  const line = report.counts ? 'serving' : 'candidate';
  const known = await readFindings(pool, agentId, line, prints);
  const address = callAddress(kind, run.endpointUrl);
  return failures.map(({ stage, finding }) => ({
    stage,
    what: finding?.description ?? run.summary ?? '',
    remedy: finding?.remediation ?? null,
    invocationId: finding?.invocation_id ?? null,
    address: finding && finding.invocation_id === null ? null : address,
    findingId: (finding && known.get(finding.fingerprint)?.findingId) ?? null,
  }));
}

async function visibilityNow(pool: DbPool, registrationPaid: boolean, agent: AgentRow): Promise<Visibility> {
  const { agentId } = agent;
  const hidden = await readHiddenReasons(pool, agentId);
  const newest = agent.servingVersionId ? undefined : await readNewestToVerify(pool, agentId);
  const isRejected = newest?.state === 'rejected';
  const shown = {
    visibility: agent.visibility,
    audience: await countAudience(pool, agentId),
    linkMadeAt: await readAccessLinkTime(pool, agentId),
  };
  const { listed, reasons } = visibilityOf(agent, { registrationPaid, isRejected }, hidden);
  if (agent.status !== 'suspended') return { ...shown, listed, reasons };
  const statement = await readNewestReason(pool, 'agent.suspend', agentId);
  const stated = reasons.map((one) => (one.code === 'suspended' ? { ...one, statement } : one));
  return { ...shown, listed, reasons: stated };
}

function visibilityOf(
  agent: AgentRow,
  { registrationPaid, isRejected }: { registrationPaid: boolean; isRejected: boolean },
  hidden: readonly HiddenReasonRow[],
): Pick<Visibility, 'listed' | 'reasons'> {
  const codes: HiddenReason[] = [];
  if (agent.status !== 'active') codes.push(agent.status);
  if (!registrationPaid) codes.push('registration_unpaid');
  if (!agent.servingVersionId) codes.push('not_verified');
  const isHidden = hidden.some(({ code }) => code === 'critical_finding');
  if (isRejected && !isHidden) codes.push('critical_finding');
  const own = codes.map((code) => ({
    code,
    since: code === 'not_verified' ? agent.createdAt : agent.updatedAt,
    deadline: null,
  }));
  return { listed: agent.listed && agent.status === 'active', reasons: [...own, ...hidden] };
}

/** Agents as their owner sees them, in the given order. */
async function ownAgents<A extends AgentRow>(
  { pool, credentials }: PublishingViewsDeps,
  agents: readonly A[],
) {
  const ids = agents.map(({ agentId }) => agentId);
  const latest = await readLatestVersions(pool, ids);
  const servingIds = agents.flatMap(({ servingVersionId }) => servingVersionId ?? []);
  const serving = await readVersionNumbers(pool, servingIds);
  const set = await credentials.areSet(pool, ids);
  return agents.map((agent) => {
    const latestVersion = latest.get(agent.agentId);
    if (!latestVersion) throw new Error(`agent ${agent.agentId} has no version`);
    const servingVersion = serving.get(agent.servingVersionId ?? '') ?? null;
    return { ...agent, latestVersion, servingVersion, credentialSet: set.has(agent.agentId) };
  });
}
