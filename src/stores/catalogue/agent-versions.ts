import type { Pricing, VersionDocument } from '../../domain/catalogue/manifest';
import { priceUnitsOf, publicPartOf } from '../../domain/catalogue/manifest';
import type { Version } from '../../domain/catalogue/semver';
import type { VersionState } from '../../domain/catalogue/version-state';
import { type Db, onlyRow } from '../db';
import type { FormerPrice } from '../prices/charged-price';
import { countRows } from '../list-total';

export interface VersionRow {
  versionId: string;
  agentId: string;
  slug: string;
  version: string;
  number: Version;
  state: VersionState;
  displayName: string;
  endpointUrl: string;
  pricing: Pricing;
  manifestSha256: string;
  rejectReason: string | null;
  createdAt: Date;
  submittedAt: Date | null;
  liveAt: Date | null;
  /** Set if the price rose: what calls cost until then. */
  formerPrice: { pricing: Pricing; until: Date } | null;
}

interface RawVersion {
  version_id: string;
  agent_id: string;
  slug: string;
  version: string;
  major: number;
  minor: number;
  patch: number;
  state: VersionState;
  display_name: string;
  endpoint_url: string;
  public_part: string;
  manifest_sha256: string;
  reject_reason: string | null;
  created_at: Date;
  submitted_at: Date | null;
  live_at: Date | null;
  price_effective_at: Date | null;
  former_price: FormerPrice | null;
}

const COLUMNS = `version_id, agent_id, slug, version, major, minor, patch, state, display_name, endpoint_url, public_part,
  manifest_sha256, reject_reason, created_at, submitted_at, live_at, price_effective_at, former_price`;
const HIGHEST_FIRST = 'major DESC, minor DESC, patch DESC';

/** SHA-256 in hexadecimal. */
type Bundle = { bytes: Buffer; sha256: string };

export interface NewVersion {
  versionId: string;
  agentId: string;
  number: Version;
  state: 'draft' | 'submitted';
  /** The manifest, or the document derived from a registration. */
  manifest: VersionDocument;
  /** The manifest as JSON, in the order in which it was written, and the SHA-256 of its canonical form. */
  manifestJson: string;
  manifestSha256: string;
}

/** Stores a version, and its bundle if it has one, in one statement. */
export async function insertVersion(tx: Db, version: NewVersion, bundle?: Bundle): Promise<void> {
  const { manifest, number } = version;
  await tx.query(
    `WITH version AS (
     INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest,
       manifest_sha256, public_part, endpoint_url, display_name, description, category, tags, pricing_model, price_units,
       free_tier_calls, timeout_ms, max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable,
       warranty, submitted_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
       $24, $25, $28::jsonb, CASE WHEN $8 = 'submitted' THEN now() END)
     RETURNING version_id)
     INSERT INTO agent_bundles (version_id, bundle, sha256)
     SELECT version_id, $26::bytea, $27 FROM version WHERE $26::bytea IS NOT NULL`,
    [
      version.versionId,
      version.agentId,
      manifest.agent_id,
      manifest.version,
      number.major,
      number.minor,
      number.patch,
      version.state,
      version.manifestJson,
      version.manifestSha256,
      JSON.stringify(publicPartOf(manifest)),
      manifest.endpoint.url,
      manifest.display_name,
      manifest.description,
      manifest.category,
      [...new Set(manifest.tags)],
      manifest.pricing.model,
      priceUnitsOf(manifest.pricing),
      manifest.pricing.free_tier_calls,
      manifest.endpoint.timeout_ms,
      manifest.endpoint.max_payload_bytes,
      manifest.data_handling.data_retention_days,
      manifest.capabilities.streaming,
      manifest.capabilities.idempotent,
      manifest.capabilities.a2a_invocable,
      bundle?.bytes ?? null,
      bundle?.sha256 ?? null,
      manifest.warranty ? JSON.stringify(manifest.warranty) : null,
    ],
  );
}

/** Gives a version the bundle of an earlier one, if that has one. */
export async function copyBundle(tx: Db, from: string, to: string): Promise<void> {
  await tx.query(
    `INSERT INTO agent_bundles (version_id, bundle, sha256) SELECT $2, bundle, sha256 FROM agent_bundles
      WHERE version_id = $1`,
    [from, to],
  );
}

/** The highest version of a slug over all majors, in any state, except withdrawn ones. */
export async function readHighestVersion(db: Db, slug: string): Promise<VersionRow | undefined> {
  const result = await db.query<RawVersion>(
    `SELECT ${COLUMNS} FROM agent_versions WHERE slug = $1 AND withdrawn_at IS NULL
      ORDER BY ${HIGHEST_FIRST} LIMIT 1`,
    [slug],
  );
  return result.rows[0] && toVersion(result.rows[0]);
}

/** The highest version of an agent in one of `states`. */
export async function readHighestIn(
  db: Db,
  agentId: string,
  states: readonly VersionState[],
): Promise<VersionRow | undefined> {
  const result = await db.query<RawVersion>(
    `SELECT ${COLUMNS} FROM agent_versions WHERE agent_id = $1 AND state = ANY ($2) ORDER BY ${HIGHEST_FIRST} LIMIT 1`,
    [agentId, states],
  );
  return result.rows[0] && toVersion(result.rows[0]);
}

/**
 * The version of an agent that another verification would be of: the one that was submitted last. A rejected one before
 * it stays in the history.
 */
export async function readNewestToVerify(db: Db, agentId: string): Promise<VersionRow | undefined> {
  const result = await db.query<RawVersion>(
    `SELECT ${COLUMNS} FROM agent_versions
      WHERE agent_id = $1 AND state IN ('submitted', 'verifying', 'verified', 'live', 'rejected')
      ORDER BY submitted_at DESC NULLS LAST, ${HIGHEST_FIRST} LIMIT 1`,
    [agentId],
  );
  return result.rows[0] && toVersion(result.rows[0]);
}

export async function readVersion(db: Db, agentId: string, version: string): Promise<VersionRow | undefined> {
  const result = await db.query<RawVersion>(
    `SELECT ${COLUMNS} FROM agent_versions WHERE agent_id = $1 AND version = $2 AND withdrawn_at IS NULL`,
    [agentId, version],
  );
  return result.rows[0] && toVersion(result.rows[0]);
}

export async function readVersionById(db: Db, versionId: string): Promise<VersionRow | undefined> {
  const result = await db.query<RawVersion>(`SELECT ${COLUMNS} FROM agent_versions WHERE version_id = $1`, [
    versionId,
  ]);
  return result.rows[0] && toVersion(result.rows[0]);
}

/** The document of an agent's serving version, or of its highest version if none serves. */
export async function readCurrentDocument(db: Db, agentId: string): Promise<VersionDocument> {
  const result = await db.query<{ manifest: string }>(
    `SELECT v.manifest FROM agent_versions v JOIN agents a USING (agent_id) WHERE agent_id = $1
      ORDER BY v.version_id = a.serving_version_id DESC NULLS LAST, v.withdrawn_at DESC NULLS FIRST, v.major DESC,
               v.minor DESC, v.patch DESC LIMIT 1`,
    [agentId],
  );
  return JSON.parse(onlyRow(result).manifest) as VersionDocument;
}

/** The document of a version: a manifest, or the document of a registration. */
export async function readDocument(db: Db, versionId: string): Promise<VersionDocument> {
  const result = await db.query<{ manifest: string }>(
    'SELECT manifest FROM agent_versions WHERE version_id = $1',
    [versionId],
  );
  return JSON.parse(onlyRow(result).manifest) as VersionDocument;
}

/** Returns MAJOR.MINOR.PATCH by version id. */
export async function readVersionNumbers(
  db: Db,
  versionIds: readonly string[],
): Promise<Map<string, string>> {
  const result = await db.query<{ version_id: string; version: string }>(
    'SELECT version_id, version FROM agent_versions WHERE version_id = ANY ($1)',
    [versionIds],
  );
  return new Map(result.rows.map((row) => [row.version_id, row.version]));
}

/** Lists versions that are not withdrawn, highest first, with the total. `before`: only versions below this one. */
export async function listVersionsOf(
  db: Db,
  agentId: string,
  page: { limit: number; before?: Version | undefined },
): Promise<{ rows: VersionRow[]; total: number }> {
  const { limit, before } = page;
  const result = await db.query<RawVersion>(
    `SELECT ${COLUMNS} FROM agent_versions WHERE agent_id = $1 AND withdrawn_at IS NULL
        AND ($2::int IS NULL OR (major, minor, patch) < ($2::int, $3::int, $4::int))
      ORDER BY ${HIGHEST_FIRST} LIMIT $5`,
    [agentId, before?.major ?? null, before?.minor ?? null, before?.patch ?? null, limit],
  );
  const list = {
    from: 'agent_versions',
    key: 'agent_id = $1 AND withdrawn_at IS NULL',
    order: 'major, minor, patch',
  };
  return { rows: result.rows.map(toVersion), total: await countRows(db, list, [agentId]) };
}

/** The highest version of each agent, by agent id. If all are withdrawn, the one that was withdrawn last. */
export async function readLatestVersions(
  db: Db,
  agentIds: readonly string[],
): Promise<Map<string, VersionRow>> {
  const result = await db.query<RawVersion>(
    `SELECT DISTINCT ON (agent_id) ${COLUMNS} FROM agent_versions WHERE agent_id = ANY ($1)
      ORDER BY agent_id, withdrawn_at DESC NULLS FIRST, ${HIGHEST_FIRST}`,
    [agentIds],
  );
  return new Map(result.rows.map((row) => [row.agent_id, toVersion(row)]));
}

/**
 * Moves a version to a state if it is in one of `from`; returns false otherwise. Moving to `submitted` or `live` sets
 * the corresponding time. `rejectReason` is kept until the next move.
 */
export async function moveVersion(
  tx: Db,
  versionId: string,
  from: readonly VersionState[],
  to: VersionState,
  rejectReason: string | null = null,
): Promise<boolean> {
  const result = await tx.query(
    `UPDATE agent_versions SET state = $3, reject_reason = $4,
            submitted_at = CASE WHEN $3 = 'submitted' THEN now() ELSE submitted_at END,
            triggered_at = CASE WHEN $3 = 'submitted' THEN NULL ELSE triggered_at END,
            live_at = CASE WHEN $3 = 'live' THEN now() ELSE live_at END
      WHERE version_id = $1 AND state = ANY ($2)`,
    [versionId, from, to, rejectReason],
  );
  return result.rowCount === 1;
}

/** Supersedes the versions of an agent that are in `states`, except one. */
export async function supersedeOthers(
  tx: Db,
  agentId: string,
  states: readonly VersionState[],
  exceptVersionId: string | null,
): Promise<void> {
  await tx.query(
    `UPDATE agent_versions SET state = 'superseded'
      WHERE agent_id = $1 AND state = ANY ($2) AND version_id IS DISTINCT FROM $3`,
    [agentId, states, exceptVersionId],
  );
}

function toVersion(row: RawVersion): VersionRow {
  return {
    versionId: row.version_id,
    agentId: row.agent_id,
    slug: row.slug,
    version: row.version,
    number: { major: row.major, minor: row.minor, patch: row.patch },
    state: row.state,
    displayName: row.display_name,
    endpointUrl: row.endpoint_url,
    pricing: (JSON.parse(row.public_part) as { pricing: Pricing }).pricing,
    manifestSha256: row.manifest_sha256,
    rejectReason: row.reject_reason,
    createdAt: row.created_at,
    submittedAt: row.submitted_at,
    liveAt: row.live_at,
    formerPrice: row.price_effective_at &&
      row.former_price && { pricing: row.former_price.pricing, until: row.price_effective_at },
  };
}
