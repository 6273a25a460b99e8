/** Versions of a self-hosted agent. */
import {
  documentOf,
  type Registration,
  type RegistrationDocument,
  registrationOf,
} from '../../domain/catalogue/registration';
import type { Version } from '../../domain/catalogue/semver';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { newId } from '../../kit/ids/ids';
import {
  insertVersion,
  moveVersion,
  readDocument,
  readHighestVersion,
  supersedeOthers,
  type VersionRow,
} from '../../stores/catalogue/agent-versions';
import { type AgentRow, replaceServingVersion } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';

/** The highest version of an agent, in any state. */
export interface Newest {
  version: VersionRow;
  document: RegistrationDocument;
  registration: Registration;
}

export async function readNewest(db: Db, agent: AgentRow): Promise<Newest> {
  const version = await readHighestVersion(db, agent.slug);
  if (!version) throw new Error(`agent ${agent.agentId} has no version`);
  const document = (await readDocument(db, version.versionId)) as RegistrationDocument;
  return { version, document, registration: registrationOf(document) };
}

export async function readServing(tx: Db, agent: AgentRow): Promise<RegistrationDocument | undefined> {
  if (agent.servingVersionId === null) return undefined;
  return (await readDocument(tx, agent.servingVersionId)) as RegistrationDocument;
}

/** Makes a version live at once: the verification of the serving version also applies to it. */
export async function putLive(tx: Db, agentId: string, versionId: string): Promise<void> {
  await supersedeOthers(tx, agentId, ['submitted', 'verifying', 'live', 'rejected'], versionId);
  await moveVersion(tx, versionId, ['submitted'], 'verifying');
  await moveVersion(tx, versionId, ['verifying'], 'verified');
  await moveVersion(tx, versionId, ['verified'], 'live');
  await replaceServingVersion(tx, agentId, versionId);
}

/** Inserts a version in state `submitted`. The document is returned as it is stored, so that it can be compared. */
export async function insertRegistration(
  tx: Db,
  made: {
    agentId: string;
    registration: Registration;
    author: string;
    number: Version;
    bundle?: Buffer | undefined;
  },
): Promise<{ versionId: string; document: RegistrationDocument }> {
  const { agentId, registration, author, number, bundle } = made;
  const versionId = newId('agv');
  const version = `${number.major}.${number.minor}.${number.patch}`;
  const document = documentOf(registration, { author, version });
  const manifestJson = canonicalJson(document);
  const stored = {
    versionId,
    agentId,
    number,
    state: 'submitted',
    manifest: document,
    manifestJson,
    manifestSha256: sha256Hex(manifestJson),
  } as const;
  await insertVersion(tx, stored, bundle && { bytes: bundle, sha256: sha256Hex(bundle) });
  return { versionId, document: JSON.parse(manifestJson) as RegistrationDocument };
}
