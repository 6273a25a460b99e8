import { mayAgentMove } from '../../domain/catalogue/agent-state';
import { MarketError } from '../../domain/errors';
import { completeManifest, type Manifest } from '../../domain/catalogue/manifest';
import { compareVersions, parseVersion, type Version } from '../../domain/catalogue/semver';
import { isStorable } from '../../domain/json-value';
import { agentIdOf } from '../../domain/catalogue/slug';
import type { VersionState } from '../../domain/catalogue/version-state';
import { checkUrl } from '../../egress/url-rules';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { newSigningSecret } from '../../kit/crypto/webhook-signature';
import {
  insertVersion,
  moveVersion,
  readHighestIn,
  readNewestToVerify,
  readVersion,
  supersedeOthers,
} from '../../stores/catalogue/agent-versions';
import {
  type AgentRow,
  claimSlug,
  insertAgent,
  lockAgent,
  setAgentStatus,
} from '../../stores/catalogue/agents';
import {
  lockForVersion,
  readSlug,
  type UsedNumber,
  withdrawUnlessEqual,
  withdrawVersion,
} from '../../stores/catalogue/version-numbers';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import type { BundleChecks } from '../../verification/bundles/bundle-checks';
import { signingSecretContext } from './signing-secret';
import { manifestProblems, type ManifestCheckDeps, refusalOf } from './manifest-check';
import { requireRest } from './reverification';

export interface PublishingDeps extends ManifestCheckDeps {
  pool: DbPool;
  cipher: Cipher;
  bundles: Pick<BundleChecks, 'check'>;
}

/** The publishing developer. */
export interface Publisher {
  userId: string;
  developerId: string;
  registrationPaid: boolean;
}

export interface PublishRequest {
  manifest: Record<string, unknown>;
  bundleBase64?: string | undefined;
  /** False keeps the version as a draft. */
  submit: boolean;
}

export interface PublishedVersion {
  agentId: string;
  versionId: string;
  slug: string;
  version: string;
  state: VersionState;
}

/**
 * Publishing, and the developer's operations on an agent (contract, "Publishing and the agent's life"). After the
 * transaction, the caller requests the verification. If the engine is unreachable, the version stays submitted and the
 * sweep requests it later.
 */
export function createPublishing(deps: PublishingDeps) {
  const { pool } = deps;
  return {
    /**
     * Stores a version permanently. It replaces a version of the same number that never went live. Throws
     * `registration_required`; 422 with every invalid field; `slug_taken`; `version_not_higher` (per major if an
     * earlier version of the major serves, else over all majors); `invalid_state` if the agent is retired or suspended.
     */
    async publish(publisher: Publisher, request: PublishRequest): Promise<PublishedVersion> {
      requireRegistration(publisher);
      await requireNewVersion(pool, publisher.userId, request.manifest);
      const { manifest, bundle } = await vet(deps, publisher, request);
      const number = parseVersion(manifest.version);
      if (!number) throw new Error('a manifest without problems has a version');
      const agentId = agentIdOf(manifest.agent_id, number.major);
      return withTransaction(pool, async (tx) => {
        const slug = manifest.agent_id;
        await requireOwnSlug(tx, slug, publisher.userId);
        const { status, highest } = await lockForVersion(tx, { agentId, slug, major: number.major });
        requireAbove(highest, number);
        if (status) requireActive({ status });
        else await createAgent(tx, deps.cipher, { agentId, slug, major: number.major, publisher });
        return store(tx, { agentId, manifest, number, bundle, submit: request.submit });
      });
    },

    /** Submits a draft. Throws `invalid_state` if it is not a draft, or if a higher version was submitted before. */
    submit(publisher: Publisher, agentId: string, version: string): Promise<PublishedVersion> {
      requireRegistration(publisher);
      return withTransaction(pool, (tx) => submitDraft(tx, publisher.userId, agentId, version));
    },

    /** Deletes a draft and frees its number. Throws `not_found`, or `invalid_state` if the version is not a draft. */
    deleteDraft: (userId: string, agentId: string, version: string): Promise<void> =>
      withTransaction(pool, (tx) => withdrawDraft(tx, userId, agentId, version)),

    /** Retires an agent permanently. Throws `invalid_state` if it is already retired. */
    async retire(userId: string, agentId: string): Promise<void> {
      await withTransaction(pool, async (tx) => {
        const agent = await lockOwnAgent(tx, userId, agentId);
        if (!mayAgentMove(agent.status, 'retired')) throw new MarketError('invalid_state');
        await setAgentStatus(tx, agentId, 'retired');
        await supersedeOthers(tx, agentId, ['submitted'], null);
      });
    },

    /**
     * Chooses the version for another verification: the waiting version; else the highest version if it was rejected
     * (it is submitted again); else the serving version. Throws `invalid_state` if there is none or a run goes on, and
     * `rate_limited` within an hour after the last request.
     */
    reverify: (userId: string, agentId: string): Promise<PublishedVersion> =>
      withTransaction(pool, (tx) => askAgain(tx, userId, agentId)),
  };
}

export type Publishing = ReturnType<typeof createPublishing>;

async function submitDraft(
  tx: Db,
  userId: string,
  agentId: string,
  version: string,
): Promise<PublishedVersion> {
  requireActive(await lockOwnAgent(tx, userId, agentId));
  const draft = await readVersion(tx, agentId, version);
  if (!draft) throw new MarketError('not_found');
  const newest = await readHighestIn(tx, agentId, ['submitted', 'verifying', 'verified', 'live']);
  if (newest && compareVersions(newest.number, draft.number) > 0) throw new MarketError('invalid_state');
  if (!(await moveVersion(tx, draft.versionId, ['draft'], 'submitted')))
    throw new MarketError('invalid_state');
  await supersedeOthers(tx, draft.agentId, ['submitted'], draft.versionId);
  return { agentId, versionId: draft.versionId, slug: draft.slug, version, state: 'submitted' };
}

async function withdrawDraft(tx: Db, userId: string, agentId: string, version: string): Promise<void> {
  await lockOwnAgent(tx, userId, agentId);
  const draft = await readVersion(tx, agentId, version);
  if (!draft) throw new MarketError('not_found');
  if (draft.state !== 'draft') {
    throw new MarketError('invalid_state', {
      message: `The version is ${draft.state}. Only a draft can be deleted.`,
    });
  }
  await withdrawVersion(tx, agentId, version);
}

async function askAgain(tx: Db, userId: string, agentId: string): Promise<PublishedVersion> {
  requireActive(await lockOwnAgent(tx, userId, agentId));
  const newest = await readNewestToVerify(tx, agentId);
  if (!newest) throw new MarketError('invalid_state');
  await requireRest(tx, agentId);
  const { versionId, slug, version, state } = newest;
  const isAgain = await moveVersion(tx, versionId, ['rejected'], 'submitted');
  return { agentId, versionId, slug, version, state: isAgain ? 'submitted' : state };
}

export function requireRegistration(publisher: Publisher): void {
  if (!publisher.registrationPaid) throw new MarketError('registration_required');
}

/** Performs all checks that need no other data, and returns the document to store. */
async function vet(deps: PublishingDeps, publisher: Publisher, request: PublishRequest) {
  const problems = (await manifestProblems(deps, request.manifest, publisher.userId)).map(
    ({ loc, ...problem }) => ({
      ...problem,
      loc: ['body', 'manifest', ...loc],
    }),
  );
  const { bundleBase64 } = request;
  const bundle =
    bundleBase64 === undefined ? undefined : await deps.bundles.check(publisher.userId, bundleBase64);
  if (bundle?.ok === false)
    problems.push({ loc: ['body', 'bundle_base64'], msg: bundle.msg, type: bundle.type });
  if (problems.length > 0) throw refusalOf(problems);
  const manifest = completeManifest(request.manifest, publisher.developerId);
  const url = checkUrl(manifest.endpoint.url, deps.policy);
  if (url.ok) manifest.endpoint.url = url.href;
  return { manifest, bundle: bundle?.ok ? bundle.bytes : undefined };
}

/**
 * Refuses a taken slug and a version that is not higher before other work. The transaction decides again, under its
 * locks.
 */
async function requireNewVersion(
  db: Db,
  userId: string,
  { agent_id: slug, version }: Record<string, unknown>,
): Promise<void> {
  if (typeof slug !== 'string' || !isStorable(slug)) return;
  const number = typeof version === 'string' ? parseVersion(version) : undefined;
  const taken = await readSlug(db, slug, number?.major ?? 0);
  if (taken === undefined) return;
  if (taken.owner !== userId) throw new MarketError('slug_taken');
  if (number) requireAbove(taken.highest, number);
}

async function requireOwnSlug(tx: Db, slug: string, userId: string): Promise<void> {
  const { owner, kind } = await claimSlug(tx, slug, userId);
  if (owner !== userId) throw new MarketError('slug_taken');
  if (kind === null || kind === 'manifest') return;
  throw new MarketError('invalid_state', {
    message:
      'The agent with this slug was registered by its endpoint, so it has no manifest. Use another slug.',
  });
}

function requireAbove(highest: UsedNumber | undefined, number: Version): void {
  if (!highest || compareVersions(number, highest.number) > 0) return;
  throw new MarketError('version_not_higher', {
    message: `The version must be higher than ${highest.version}, the last one that was live or waits for verification.`,
  });
}

export function requireActive(agent: Pick<AgentRow, 'status'>): void {
  if (agent.status !== 'active') {
    throw new MarketError('invalid_state', { message: `The agent is ${agent.status}.` });
  }
}

/** Locks an agent of the developer. Throws `not_found` for agents of others. */
export async function lockOwnAgent(tx: Db, userId: string, agentId: string): Promise<AgentRow> {
  const agent = await lockAgent(tx, agentId);
  if (agent?.developerUserId !== userId) throw new MarketError('not_found');
  return agent;
}

async function createAgent(
  tx: Db,
  cipher: Cipher,
  made: { agentId: string; slug: string; major: number; publisher: Publisher },
): Promise<void> {
  const { agentId, slug, major, publisher } = made;
  const sealedSigningSecret = await cipher.seal(
    Buffer.from(newSigningSecret()),
    signingSecretContext(agentId),
  );
  await insertAgent(tx, { agentId, slug, major, developerUserId: publisher.userId, sealedSigningSecret });
}

/**
 * Stores the version. A draft that equals the known one is not stored again, because `market dev` sends it at each
 * start.
 */
async function store(
  tx: Db,
  made: { agentId: string; manifest: Manifest; number: Version; bundle: Buffer | undefined; submit: boolean },
): Promise<PublishedVersion> {
  const { agentId, manifest, number, bundle } = made;
  const versionId = newId('agv');
  const state = made.submit ? 'submitted' : 'draft';
  // Stored as it was written: forms show the fields of a schema in this order.
  const manifestJson = JSON.stringify(manifest);
  const manifestSha256 = sha256Hex(canonicalJson(manifest));
  const bundleSha256 = bundle ? sha256Hex(bundle) : null;
  const published = {
    agentId,
    versionId,
    slug: manifest.agent_id,
    version: manifest.version,
    state,
  } as const;
  if (made.submit) await withdrawVersion(tx, agentId, manifest.version);
  else {
    const known = await withdrawUnlessEqual(tx, { ...published, manifestSha256, bundleSha256 });
    if (known !== undefined) return { ...published, versionId: known };
  }
  await insertVersion(
    tx,
    { versionId, agentId, number, state, manifest, manifestJson, manifestSha256 },
    bundle && bundleSha256 !== null ? { bytes: bundle, sha256: bundleSha256 } : undefined,
  );
  if (made.submit) await supersedeOthers(tx, agentId, ['submitted'], versionId);
  return published;
}
