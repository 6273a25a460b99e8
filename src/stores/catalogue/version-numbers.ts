/** Which numbers of a slug are taken: those of versions that were live or wait for verification. */
import type { AgentStatus } from '../../domain/catalogue/agent-state';
import type { Version } from '../../domain/catalogue/semver';
import { type Db, onlyRow } from '../db';

export interface UsedNumber {
  version: string;
  number: Version;
}

/**
 * The highest taken number of a slug: of this major if a version of it serves, else of all majors. No row if none of
 * these versions was live or waits.
 */
const HIGHEST_TAKEN = `SELECT version, major, minor, patch FROM agent_versions
      WHERE slug = $1 AND withdrawn_at IS NULL
        AND (live_at IS NOT NULL OR state IN ('submitted', 'verifying', 'verified'))
        AND (major = $2 OR NOT EXISTS (
          SELECT FROM agents g WHERE g.slug = $1 AND g.major = $2 AND g.serving_version_id IS NOT NULL))
      ORDER BY major DESC, minor DESC, patch DESC LIMIT 1`;

/**
 * Locks an agent, if it exists, and returns its status, and the highest taken number of its slug for a version of
 * `major`. The caller has claimed the slug. One statement, because a publisher waits for each
 * (docs/internals/queues.md#publications).
 */
export async function lockForVersion(
  tx: Db,
  { agentId, slug, major }: { agentId: string; slug: string; major: number },
): Promise<{ status: AgentStatus | undefined; highest: UsedNumber | undefined }> {
  const result = await tx.query<Version & { version: string | null; status: AgentStatus | null }>(
    `WITH agent AS MATERIALIZED (SELECT status FROM agents WHERE agent_id = $3 FOR UPDATE)
     SELECT a.status, t.* FROM (SELECT) one LEFT JOIN agent a ON true LEFT JOIN LATERAL (${HIGHEST_TAKEN}) t ON true`,
    [slug, major, agentId],
  );
  const row = onlyRow(result);
  return { status: row.status ?? undefined, highest: usedNumberOf(row) };
}

const usedNumberOf = (row: Version & { version: string | null }): UsedNumber | undefined =>
  row.version === null ? undefined : { version: row.version, number: row };

/** The owner of a slug, and its highest taken number for a version of `major`; undefined if the slug is free. */
export async function readSlug(
  db: Db,
  slug: string,
  major: number,
): Promise<{ owner: string; highest: UsedNumber | undefined } | undefined> {
  const { rows } = await db.query<Version & { owner: string; version: string | null }>(
    `SELECT s.developer_user_id AS owner, t.* FROM slugs s LEFT JOIN LATERAL (${HIGHEST_TAKEN}) t ON true WHERE s.slug = $1`,
    [slug, major],
  );
  const [row] = rows;
  if (!row) return undefined;
  return { owner: row.owner, highest: usedNumberOf(row) };
}

const WITHDRAW = `UPDATE agent_versions SET state = 'superseded', withdrawn_at = now()
         WHERE agent_id = $1 AND version = $2 AND withdrawn_at IS NULL AND live_at IS NULL
           AND state IN ('draft', 'rejected', 'superseded')`;

/**
 * Frees the number of a version that never went live and does not wait for verification. The row stays, so that its
 * runs and findings can be read; its bundle, which nothing reads any more, is deleted. Returns false, and changes
 * nothing, if there is no such version.
 */
export async function withdrawVersion(tx: Db, agentId: string, version: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH withdrawn AS (
       ${WITHDRAW} RETURNING version_id),
     bundles AS (DELETE FROM agent_bundles WHERE version_id IN (SELECT version_id FROM withdrawn))
     SELECT FROM withdrawn`,
    [agentId, version],
  );
  return rowCount === 1;
}

/**
 * Frees the number like `withdrawVersion`, unless it is that of a draft with the same manifest and bundle (null: none).
 * Returns the id of that draft.
 */
export async function withdrawUnlessEqual(
  tx: Db,
  draft: { agentId: string; version: string; manifestSha256: string; bundleSha256: string | null },
): Promise<string | undefined> {
  const { rows } = await tx.query<{ version_id: string }>(
    `WITH same AS (
       SELECT v.version_id FROM agent_versions v LEFT JOIN agent_bundles b USING (version_id)
        WHERE v.agent_id = $1 AND v.version = $2 AND v.state = 'draft' AND v.withdrawn_at IS NULL
          AND v.manifest_sha256 = $3 AND b.sha256 IS NOT DISTINCT FROM $4),
     withdrawn AS (${WITHDRAW} AND NOT EXISTS (SELECT FROM same) RETURNING version_id),
     bundles AS (DELETE FROM agent_bundles WHERE version_id IN (SELECT version_id FROM withdrawn))
     SELECT version_id FROM same`,
    [draft.agentId, draft.version, draft.manifestSha256, draft.bundleSha256],
  );
  return rows[0]?.version_id;
}
