/** Advisories, pinned packages of versions, and the versions affected (`migrations/0014_verification.sql`). */
import type { AdvisoryFact, Ecosystem, FactSeverity } from '../../domain/evidence/evidence-facts';
import type { Db } from '../db';

export interface AdvisoryRow {
  ecosystem: Ecosystem;
  name: string;
  advisoryId: string;
  severity: FactSeverity;
  summary: string;
  modified: string;
  /** JSON of the affected versions. */
  affected: string;
}

interface RawAdvisory {
  ecosystem: Ecosystem;
  package: string;
  advisory_id: string;
  severity: FactSeverity;
  summary: string;
  modified: Date;
  affected: string;
}

/**
 * Writes a batch of records: replaces changed rows, deletes packages that a record no longer contains (all of them if
 * it was withdrawn), and queues new and changed rows for the sweep. An older copy of a record changes nothing.
 * `records`: all records of the batch. Returns how many rows changed.
 */
export async function upsertAdvisories(
  tx: Db,
  records: readonly { id: string; modified: string }[],
  rows: readonly AdvisoryRow[],
): Promise<number> {
  const values = [
    rows.map(({ ecosystem }) => ecosystem),
    rows.map(({ name }) => name),
    rows.map(({ advisoryId }) => advisoryId),
    rows.map(({ severity }) => severity),
    rows.map(({ summary }) => summary),
    rows.map(({ modified }) => modified),
    rows.map(({ affected }) => affected),
  ];
  const result = await tx.query(
    `WITH incoming AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
         AS t (ecosystem, package, advisory_id, severity, summary, modified, affected)),
     gone AS (
       DELETE FROM advisories a USING unnest($8::text[], $9::timestamptz[]) AS r (id, modified)
        WHERE a.advisory_id = r.id AND r.modified >= a.modified AND NOT EXISTS (SELECT FROM incoming i
         WHERE i.ecosystem = a.ecosystem AND i.package = a.package AND i.advisory_id = a.advisory_id)),
     written AS (
       INSERT INTO advisories (ecosystem, package, advisory_id, severity, summary, modified, affected)
       SELECT * FROM incoming
       ON CONFLICT (ecosystem, package, advisory_id) DO UPDATE SET severity = excluded.severity,
         summary = excluded.summary, modified = excluded.modified, affected = excluded.affected
       WHERE excluded.modified >= advisories.modified AND (advisories.affected, advisories.severity, advisories.summary)
         IS DISTINCT FROM (excluded.affected, excluded.severity, excluded.summary)
       RETURNING ecosystem, package, advisory_id)
     INSERT INTO advisory_changes (ecosystem, package, advisory_id) SELECT * FROM written
     ON CONFLICT (ecosystem, package, advisory_id) DO UPDATE SET queued_at = now()`,
    [...values, records.map(({ id }) => id), records.map(({ modified }) => modified)],
  );
  return result.rowCount ?? 0;
}

/** Deletes hits of advisories that no longer affect their package, so that they count as new if they return. */
export async function forgetHits(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(
    `DELETE FROM advisory_hits h WHERE h.advisory_id = ANY ($1) AND NOT EXISTS (SELECT FROM advisories a
       WHERE a.ecosystem = h.ecosystem AND a.package = h.package AND a.advisory_id = h.advisory_id)`,
    [ids],
  );
}

export async function listAdvisories(
  db: Db,
  packages: readonly { ecosystem: Ecosystem; name: string }[],
): Promise<AdvisoryRow[]> {
  const result = await db.query<RawAdvisory>(
    `SELECT a.* FROM advisories a JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t (e, p)) wanted
       ON a.ecosystem = wanted.e AND a.package = wanted.p ORDER BY a.ecosystem, a.package, a.advisory_id`,
    [packages.map(({ ecosystem }) => ecosystem), packages.map(({ name }) => name)],
  );
  return result.rows.map(({ package: name, advisory_id, modified, ...row }) => ({
    ...row,
    name,
    advisoryId: advisory_id,
    modified: modified.toISOString(),
  }));
}

export interface PinnedPackage {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  isDev: boolean;
}

/**
 * Replaces the pinned packages of a version. A package that is listed several times is stored once, for production if
 * any is.
 */
export async function storePackages(
  tx: Db,
  versionId: string,
  packages: readonly PinnedPackage[],
): Promise<void> {
  await tx.query('DELETE FROM version_packages WHERE version_id = $1', [versionId]);
  await tx.query(
    `INSERT INTO version_packages (version_id, ecosystem, package, version, is_dev)
     SELECT $1, e, p, v, bool_and(d) FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) AS t (e, p, v, d)
      GROUP BY e, p, v`,
    [
      versionId,
      packages.map(({ ecosystem }) => ecosystem),
      packages.map(({ name }) => name),
      packages.map(({ version }) => version),
      packages.map(({ isDev }) => isDev),
    ],
  );
}

/** Records hits that a run has already seen, so that they do not cause another run. */
export async function noteSeen(db: Db, versionId: string, seen: readonly AdvisoryFact[]): Promise<void> {
  await insertHits(
    db,
    seen.map((fact) => ({ versionId, ...fact })),
    true,
  );
}

export interface HitCandidate extends PinnedPackage {
  versionId: string;
  advisoryId: string;
  affected: string;
}

/**
 * Takes up to `limit` changes from the queue, with the affected packages of versions that serve or are being verified.
 * `taken`: the number of changes.
 */
export async function claimChanges(
  tx: Db,
  limit: number,
): Promise<{ taken: number; candidates: HitCandidate[] }> {
  const changes = await tx.query<{ ecosystem: string; package: string; advisory_id: string }>(
    `DELETE FROM advisory_changes WHERE ctid = ANY (ARRAY (
       SELECT ctid FROM advisory_changes ORDER BY queued_at LIMIT $1 FOR UPDATE SKIP LOCKED))
     RETURNING ecosystem, package, advisory_id`,
    [limit],
  );
  const { rows } = changes;
  const result = await tx.query<RawAdvisory & { version_id: string; version: string; is_dev: boolean }>(
    `SELECT a.*, p.version_id, p.version, p.is_dev
       FROM unnest($1::text[], $2::text[], $3::text[]) AS c (ecosystem, package, advisory_id)
       JOIN advisories a USING (ecosystem, package, advisory_id)
       JOIN version_packages p USING (ecosystem, package)
       JOIN agent_versions v USING (version_id) JOIN agents g USING (agent_id)
      WHERE v.state IN ('verifying', 'verified', 'live') AND g.status = 'active'`,
    [rows.map((row) => row.ecosystem), rows.map((row) => row.package), rows.map((row) => row.advisory_id)],
  );
  const candidates = result.rows.map((row) => ({
    versionId: row.version_id,
    advisoryId: row.advisory_id,
    ecosystem: row.ecosystem,
    name: row.package,
    version: row.version,
    isDev: row.is_dev,
    affected: row.affected,
  }));
  return { taken: rows.length, candidates };
}

type Hit = Pick<HitCandidate, 'versionId' | 'advisoryId' | 'ecosystem' | 'name' | 'version'>;

/** Inserts hits. `isSeen`: a run has seen them; this also marks hits that the sweep found in the meantime. */
export async function insertHits(db: Db, hits: readonly Hit[], isSeen: boolean): Promise<void> {
  await db.query(
    `INSERT INTO advisory_hits (version_id, advisory_id, ecosystem, package, version, asked_at)
     SELECT DISTINCT t.*, CASE WHEN $6 THEN now() END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS t
     ON CONFLICT (version_id, advisory_id, ecosystem, package, version)
       DO UPDATE SET asked_at = coalesce(advisory_hits.asked_at, excluded.asked_at)`,
    [
      hits.map(({ versionId }) => versionId),
      hits.map(({ advisoryId }) => advisoryId),
      hits.map(({ ecosystem }) => ecosystem),
      hits.map(({ name }) => name),
      hits.map(({ version }) => version),
      isSeen,
    ],
  );
}

/** Lists versions with hits for which no run was requested, longest waiting first. */
export async function listUnasked(db: Db, limit: number): Promise<{ agentId: string; versionId: string }[]> {
  const result = await db.query<{ agent_id: string; version_id: string }>(
    `SELECT v.agent_id, h.version_id FROM advisory_hits h JOIN agent_versions v USING (version_id)
      WHERE h.asked_at IS NULL GROUP BY v.agent_id, h.version_id ORDER BY min(h.found_at) LIMIT $1`,
    [limit],
  );
  return result.rows.map((row) => ({ agentId: row.agent_id, versionId: row.version_id }));
}

export async function markAsked(db: Db, versionId: string): Promise<void> {
  await db.query('UPDATE advisory_hits SET asked_at = now() WHERE version_id = $1 AND asked_at IS NULL', [
    versionId,
  ]);
}

export interface ScannedVersion {
  agentId: string;
  /** JSON of the manifest, or of the document of a registration. */
  document: string;
  bundle: Buffer | undefined;
  developerUserId: string;
}

export async function readScanned(db: Db, versionId: string): Promise<ScannedVersion | undefined> {
  const result = await db.query<{
    agent_id: string;
    manifest: string;
    bundle: Buffer | null;
    developer_user_id: string;
  }>(
    `SELECT v.agent_id, v.manifest, b.bundle, a.developer_user_id FROM agent_versions v
       JOIN agents a USING (agent_id) LEFT JOIN agent_bundles b USING (version_id) WHERE v.version_id = $1`,
    [versionId],
  );
  const row = result.rows[0];
  return (
    row && {
      agentId: row.agent_id,
      document: row.manifest,
      bundle: row.bundle ?? undefined,
      developerUserId: row.developer_user_id,
    }
  );
}
