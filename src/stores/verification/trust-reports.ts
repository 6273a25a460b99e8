import type { PublicPart } from '../../domain/catalogue/manifest';
import type { Badge } from '../../domain/verification/trust';
import type { Db } from '../db';
import { countRows } from '../list-total';

export interface TrustReportRow {
  runId: string;
  sequence: string;
  agentId: string;
  versionId: string;
  /** MAJOR.MINOR.PATCH */
  version: string;
  rubricVersion: string;
  evidenceSha256: string;
  /** Canonical JSON of a `Judgement`. */
  judgement: string;
  score: number;
  earnedBadge: Badge | null;
  /** The earned badge, capped by the bond at the end of the run. */
  badge: Badge | null;
  counts: boolean;
  verifiedAt: Date;
  nextVerificationAt: Date;
  /** The version's declaration of data handling. */
  dataHandling: PublicPart['data_handling'];
}

interface RawReport {
  run_id: string;
  sequence: string;
  agent_id: string;
  version_id: string;
  version: string;
  rubric_version: string;
  evidence_sha256: string;
  judgement: string;
  score: number;
  earned_badge: Badge | null;
  badge: Badge | null;
  counts: boolean;
  verified_at: Date;
  next_verification_at: Date;
  public_part: string;
}

export type NewTrustReport = Pick<
  TrustReportRow,
  | 'runId'
  | 'agentId'
  | 'versionId'
  | 'rubricVersion'
  | 'evidenceSha256'
  | 'judgement'
  | 'score'
  | 'earnedBadge'
  | 'counts'
> & { hasCritical: boolean; nextAfterDays: number };

const SELECT = `SELECT r.*, v.version, v.public_part FROM trust_reports r JOIN agent_versions v USING (version_id)`;

/** Inserts a report. Its badge is capped by the developer's current bond. */
export async function insertReport(tx: Db, report: NewTrustReport): Promise<void> {
  await tx.query(
    `INSERT INTO trust_reports (run_id, agent_id, version_id, rubric_version, evidence_sha256, judgement, score,
       earned_badge, badge, has_critical, counts, next_verification_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8::text, badge_capped($8::text, (bond_standing(a.developer_user_id)).tier),
            $9, $10, now() + $11 * interval '1 day' FROM agents a WHERE a.agent_id = $2`,
    [
      report.runId,
      report.agentId,
      report.versionId,
      report.rubricVersion,
      report.evidenceSha256,
      report.judgement,
      report.score,
      report.earnedBadge,
      report.hasCritical,
      report.counts,
      report.nextAfterDays,
    ],
  );
}

export async function readReport(db: Db, runId: string): Promise<TrustReportRow | undefined> {
  const { rows } = await db.query<RawReport>(`${SELECT} WHERE r.run_id = $1`, [runId]);
  return rows[0] && toReport(rows[0]);
}

/** The newest report of a serving version. With `any`, falls back to the newest report of any version. */
export async function readNewestReport(
  db: Db,
  agentId: string,
  options: { any: boolean },
): Promise<TrustReportRow | undefined> {
  const { rows } = await db.query<RawReport>(
    `${SELECT} WHERE r.agent_id = $1 AND (r.counts OR $2) ORDER BY r.counts DESC, r.sequence DESC LIMIT 1`,
    [agentId, options.any],
  );
  return rows[0] && toReport(rows[0]);
}

/** Lists reports, newest first, with the total. Reports that do not count are included only with `any`. */
export async function listReports(
  db: Db,
  agentId: string,
  page: { any: boolean; limit: number; beforeSequence?: string | undefined },
): Promise<{ rows: TrustReportRow[]; total: number }> {
  const { rows } = await db.query<RawReport>(
    `${SELECT} WHERE r.agent_id = $1 AND (r.counts OR $2) AND ($3::bigint IS NULL OR r.sequence < $3::bigint)
      ORDER BY r.sequence DESC LIMIT $4`,
    [agentId, page.any, page.beforeSequence ?? null, page.limit],
  );
  const list = {
    from: 'trust_reports',
    key: 'agent_id = $1',
    filter: '(counts OR $2)',
    order: 'sequence DESC',
  };
  return { rows: rows.map(toReport), total: await countRows(db, list, [agentId, page.any]) };
}

/** Lists the newest counting report of each serving agent, by agent id. Used to preview a new rubric. */
export async function listNewestReports(
  db: Db,
  page: { afterAgent: string; limit: number },
): Promise<TrustReportRow[]> {
  const { rows } = await db.query<RawReport>(
    `SELECT r.*, v.version, v.public_part FROM (
       SELECT DISTINCT ON (t.agent_id) t.* FROM trust_reports t JOIN agents a USING (agent_id)
        WHERE t.counts AND a.status = 'active' AND a.serving_version_id IS NOT NULL AND t.agent_id > $1
        ORDER BY t.agent_id, t.sequence DESC LIMIT $2) r
     JOIN agent_versions v USING (version_id) ORDER BY r.agent_id`,
    [page.afterAgent, page.limit],
  );
  return rows.map(toReport);
}

function toReport(row: RawReport): TrustReportRow {
  return {
    runId: row.run_id,
    sequence: row.sequence,
    agentId: row.agent_id,
    versionId: row.version_id,
    version: row.version,
    rubricVersion: row.rubric_version,
    evidenceSha256: row.evidence_sha256,
    judgement: row.judgement,
    score: row.score,
    earnedBadge: row.earned_badge,
    badge: row.badge,
    counts: row.counts,
    verifiedAt: row.verified_at,
    nextVerificationAt: row.next_verification_at,
    dataHandling: (JSON.parse(row.public_part) as PublicPart).data_handling,
  };
}
