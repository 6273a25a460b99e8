/** Versions of a self-hosted agent. */
import {
  documentOf,
  type Protocol,
  type Registration,
  type RegistrationDocument,
  registrationOf,
} from '../../domain/catalogue/registration';
import type { RegisteredCard } from '../../domain/catalogue/cards/card-listing';
import type { Version } from '../../domain/catalogue/semver';
import { agentIdOf } from '../../domain/catalogue/slug';
import { MarketError } from '../../domain/errors';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { VersionState } from '../../domain/catalogue/version-state';
import { newId } from '../../kit/ids/ids';
import {
  insertVersion,
  moveVersion,
  readDocument,
  readHighestVersion,
  supersedeOthers,
  type VersionRow,
} from '../../stores/catalogue/agent-versions';
import { type AgentRow, claimSlug } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';
import { putInService } from '../prices/price-rises';
import { lockOwnAgent, requireActive } from './publishing';

export const FIRST: Version = { major: 1, minor: 0, patch: 0 };
const NO_VERSION = 'The draft of this registration was deleted. Register the agent again.';

/** The result of a registration or of a change of it. */
export interface RegisteredVersion {
  agentId: string;
  owner: string;
  slug: string;
  versionId: string;
  state: VersionState;
  credentialSet: boolean;
  priceCredits: number;
  /** False if the version already serves, or if nothing was changed. */
  toVerify: boolean;
}

/** The highest version of an agent, in any state. */
export interface Newest {
  version: VersionRow;
  document: RegistrationDocument;
  registration: Registration;
}

/** Throws `invalid_state` when the only version was a draft that was deleted. */
export async function readNewest(db: Db, agent: AgentRow): Promise<Newest> {
  const version = await readHighestVersion(db, agent.slug);
  if (!version) throw new MarketError('invalid_state', { message: NO_VERSION });
  const document = (await readDocument(db, version.versionId)) as RegistrationDocument;
  return { version, document, registration: registrationOf(document) };
}

export async function readServing(tx: Db, agent: AgentRow): Promise<RegistrationDocument | undefined> {
  if (agent.servingVersionId === null) return undefined;
  return (await readDocument(tx, agent.servingVersionId)) as RegistrationDocument;
}

/** Makes a version live at once: the verification of the serving version also applies to it. */
export async function putLive(
  tx: Db,
  agentId: string,
  versionId: string,
  priceNoticeMs: number,
): Promise<void> {
  await supersedeOthers(tx, agentId, ['submitted', 'verifying', 'live'], versionId);
  await moveVersion(tx, versionId, ['submitted'], 'verifying');
  await moveVersion(tx, versionId, ['verifying'], 'verified');
  await moveVersion(tx, versionId, ['verified'], 'live');
  await putInService(tx, agentId, versionId, priceNoticeMs);
}

export interface NewRegistration {
  agentId: string;
  registration: Registration;
  author: string;
  number: Version;
  submit: boolean;
  bundle?: Buffer | undefined;
  /** Of an A2A agent. */
  card?: RegisteredCard | undefined;
}

/**
 * Inserts a version, `submitted` or as a draft. The document is returned as it is stored, so that it can be compared.
 */
export async function insertRegistration(
  tx: Db,
  made: NewRegistration,
): Promise<{ versionId: string; document: RegistrationDocument }> {
  const { agentId, registration, author, number, submit, bundle, card } = made;
  const versionId = newId('agv');
  const version = `${number.major}.${number.minor}.${number.patch}`;
  const document = documentOf(registration, { author, version, card });
  const manifestJson = JSON.stringify(document);
  const stored = {
    versionId,
    agentId,
    number,
    state: submit ? 'submitted' : 'draft',
    manifest: document,
    manifestJson,
    manifestSha256: sha256Hex(canonicalJson(document)),
  } as const;
  await insertVersion(tx, stored, bundle && { bytes: bundle, sha256: sha256Hex(bundle) });
  return { versionId, document: JSON.parse(manifestJson) as RegistrationDocument };
}

/**
 * Claims a slug. Slugs are unique in the marketplace, so the developer's own used slugs are taken, too. Returns false
 * when the slug has an agent of the same protocol whose only draft was deleted: the registration begins again.
 */
export async function requireFreeSlug(
  tx: Db,
  slug: string,
  userId: string,
  wanted: Protocol,
): Promise<boolean> {
  const { owner, kind } = await claimSlug(tx, slug, userId);
  if (owner !== userId) throw new MarketError('slug_taken');
  if (kind === null) return true;
  if (kind === wanted && !(await readHighestVersion(tx, slug))) {
    requireActive(await lockOwnAgent(tx, userId, agentIdOf(slug, FIRST.major)));
    return false;
  }
  throw new MarketError('slug_taken', {
    message:
      kind === 'manifest'
        ? 'You have already published an agent with this slug by a manifest. Use another slug.'
        : 'You have already registered this slug. Change it with PATCH /v1/agents/{agent_id}/registration.',
  });
}
