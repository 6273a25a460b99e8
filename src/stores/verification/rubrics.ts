/** Rubrics. Only the functions `rubric_…` in `migrations/functions/verification` write them. */
import type { Rubric } from '../../domain/verification/rubric';
import { type Db, onlyRow } from '../db';

export interface RubricRow {
  version: string;
  document: Rubric;
  changelog: string;
  /** Where the change is discussed; null if the operator named no place. */
  rfcUrl: string | null;
  weightsChanged: boolean;
  publishedAt: Date;
  commentEndsAt: Date;
  effectiveAt: Date | null;
  rolledOutAt: Date | null;
  withdrawnAt: Date | null;
}

interface RawRubric {
  version: string;
  document: string;
  changelog: string;
  rfc_url: string | null;
  weights_changed: boolean;
  published_at: Date;
  comment_ends_at: Date;
  effective_at: Date | null;
  rolled_out_at: Date | null;
  withdrawn_at: Date | null;
}

/** Inserts the first rubric. Does nothing if a rubric exists. */
export async function seedRubric(tx: Db, rubric: Rubric, document: string, changelog: string): Promise<void> {
  await tx.query('SELECT rubric_seed($1, $2, $3)', [rubric.version, document, changelog]);
}

export async function readRubricInEffect(db: Db): Promise<RubricRow | undefined> {
  const { rows } = await db.query<RawRubric>('SELECT * FROM rubric_in_effect() WHERE version IS NOT NULL');
  return rows[0] && toRubric(rows[0]);
}

export async function readRubric(db: Db, version: string): Promise<RubricRow | undefined> {
  const { rows } = await db.query<RawRubric>('SELECT * FROM rubrics WHERE version = $1', [version]);
  return rows[0] && toRubric(rows[0]);
}

/** Lists rubrics, newest first, with the total. There are few: one or two a year. */
export async function listRubrics(
  db: Db,
  page: { limit: number; beforeSequence?: string | undefined },
): Promise<{ rows: (RubricRow & { sequence: string })[]; total: number }> {
  const { rows } = await db.query<RawRubric & { sequence: string }>(
    `SELECT * FROM rubrics WHERE $1::bigint IS NULL OR sequence < $1::bigint ORDER BY sequence DESC LIMIT $2`,
    [page.beforeSequence ?? null, page.limit],
  );
  const count = await db.query<{ total: string }>('SELECT count(*) AS total FROM rubrics');
  return {
    rows: rows.map((row) => ({ ...toRubric(row), sequence: row.sequence })),
    total: Number(onlyRow(count).total),
  };
}

/** Publishes a rubric. Returns undefined if its version is not the highest, or if another rubric is announced. */
export async function publishRubric(
  db: Db,
  rubric: Pick<RubricRow, 'version' | 'changelog' | 'rfcUrl'> & { document: string; commentDays: number },
): Promise<RubricRow | undefined> {
  const { rows } = await db.query<RawRubric>(
    'SELECT * FROM rubric_publish($1, $2, $3, $4, $5) WHERE version IS NOT NULL',
    [rubric.version, rubric.document, rubric.changelog, rubric.commentDays, rubric.rfcUrl],
  );
  return rows[0] && toRubric(rows[0]);
}

/** Puts a rubric into effect. Returns false if its comment period has not ended at `asOf`, or if it was withdrawn. */
export async function adoptRubric(db: Db, version: string, asOf: Date): Promise<boolean> {
  const result = await db.query<{ adopted: boolean }>('SELECT rubric_adopt($1, $2) AS adopted', [
    version,
    asOf,
  ]);
  return onlyRow(result).adopted;
}

/** Withdraws a rubric. Returns false if it is in effect or unknown. */
export async function withdrawRubric(db: Db, version: string): Promise<boolean> {
  const result = await db.query<{ withdrawn: boolean }>('SELECT rubric_withdraw($1) AS withdrawn', [version]);
  return onlyRow(result).withdrawn;
}

export async function markRolledOut(db: Db, version: string, asOf: Date): Promise<void> {
  await db.query('SELECT rubric_rolled_out($1, $2)', [version, asOf]);
}

/** Lists rubrics that are announced, or in effect but not fully rolled out. */
export async function listUnfinished(db: Db): Promise<{ version: string; commentEndsAtMs: number }[]> {
  const { rows } = await db.query<Pick<RawRubric, 'version' | 'comment_ends_at'>>(
    `SELECT version, comment_ends_at FROM rubrics WHERE withdrawn_at IS NULL AND rolled_out_at IS NULL
      ORDER BY sequence`,
  );
  return rows.map((row) => ({ version: row.version, commentEndsAtMs: row.comment_ends_at.getTime() }));
}

/** Serving agents whose newest report uses an older rubric. `asked`: their run was already requested. */
const BEHIND = `SELECT a.agent_id, a.serving_version_id, r.sequence,
    EXISTS (SELECT FROM rubric_asks k WHERE k.version = $1 AND k.agent_id = a.agent_id) AS asked
  FROM agents a LEFT JOIN LATERAL (
    SELECT t.sequence, t.rubric_version FROM trust_reports t WHERE t.agent_id = a.agent_id AND t.counts
     ORDER BY t.sequence DESC LIMIT 1) r ON true
  WHERE a.status = 'active' AND a.serving_version_id IS NOT NULL AND r.rubric_version IS DISTINCT FROM $1`;

/** Counts the agents that are not on a rubric yet, and those of them whose run was not requested. */
export async function countBehind(db: Db, version: string): Promise<{ behind: number; waiting: number }> {
  const result = await db.query<{ behind: string; waiting: string }>(
    `SELECT count(*) AS behind, count(*) FILTER (WHERE NOT asked) AS waiting FROM (${BEHIND}) b`,
    [version],
  );
  const row = onlyRow(result);
  return { behind: Number(row.behind), waiting: Number(row.waiting) };
}

/** Lists agents whose run was not requested: those without a report first, then oldest report first. */
export async function listBehind(
  db: Db,
  version: string,
  limit: number,
): Promise<{ agentId: string; versionId: string }[]> {
  const { rows } = await db.query<{ agent_id: string; serving_version_id: string }>(
    `SELECT agent_id, serving_version_id FROM (${BEHIND}) b WHERE NOT asked
      ORDER BY sequence NULLS FIRST, agent_id LIMIT $2`,
    [version, limit],
  );
  return rows.map((row) => ({ agentId: row.agent_id, versionId: row.serving_version_id }));
}

export async function markAsked(db: Db, version: string, agentId: string): Promise<void> {
  await db.query('INSERT INTO rubric_asks (version, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    version,
    agentId,
  ]);
}

function toRubric(row: RawRubric): RubricRow {
  return {
    version: row.version,
    document: JSON.parse(row.document) as Rubric,
    changelog: row.changelog,
    rfcUrl: row.rfc_url,
    weightsChanged: row.weights_changed,
    publishedAt: row.published_at,
    commentEndsAt: row.comment_ends_at,
    effectiveAt: row.effective_at,
    rolledOutAt: row.rolled_out_at,
    withdrawnAt: row.withdrawn_at,
  };
}
