import type { FindingStatus } from '../../domain/verification/finding';
import type { Severity, Stage } from '../../domain/verification/trust';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** Findings of the serving version and findings of rejected candidates are kept apart. */
export type FindingLine = 'serving' | 'candidate';

export interface FindingRow {
  findingId: string;
  line: FindingLine;
  fingerprint: string;
  stage: Stage;
  severity: Severity;
  category: string;
  description: string;
  /** What the finding can mean for a buyer. */
  risk: string;
  remediation: string;
  /** Digest of what was found. */
  mark: string;
  place: { path: string; line: number } | null;
  invocationId: string | null;
  /** Points in the last run that saw it, at most three decimals. */
  pointsLost: number;
  /** The waiver that held in the last run that saw it. */
  waiverId: string | null;
  status: FindingStatus;
  firstSeenAt: Date;
}

interface RawFinding {
  finding_id: string;
  line: FindingLine;
  fingerprint: string;
  stage: Stage;
  severity: Severity;
  category: string;
  description: string;
  risk: string;
  remediation: string;
  mark: string;
  place: { path: string; line: number } | null;
  invocation_id: string | null;
  points_lost: string;
  waiver_id: string | null;
  status: FindingStatus;
  first_seen_at: Date;
}

export type SeenFinding = Omit<FindingRow, 'line' | 'status' | 'firstSeenAt'>;

/**
 * Records the findings of a run: new ones are open, known ones keep their status, resolved ones are reopened, and those
 * that the run did not find are resolved. `findingId` is used for new findings only.
 */
export async function recordFindings(
  tx: Db,
  run: { runId: string; agentId: string; line: FindingLine },
  seen: readonly SeenFinding[],
): Promise<void> {
  await tx.query(
    `INSERT INTO findings (finding_id, agent_id, line, fingerprint, stage, severity, category, description, risk,
       remediation, mark, place, invocation_id, points_lost, waiver_id, first_run_id, last_run_id)
     SELECT s.finding_id, $2, $3, s.fingerprint, s.stage, s.severity, s.category, s.description, s.risk,
            s.remediation, s.mark, nullif(s.place, 'null'), s.invocation_id, s.points_lost, s.waiver_id, $1, $1
       FROM jsonb_to_recordset($4::jsonb) AS s(finding_id text, fingerprint text, stage text, severity text,
         category text, description text, risk text, remediation text, mark text, place jsonb, invocation_id text,
         points_lost numeric, waiver_id text)
     ON CONFLICT (agent_id, line, fingerprint) DO UPDATE
       SET stage = EXCLUDED.stage, severity = EXCLUDED.severity, category = EXCLUDED.category,
           description = EXCLUDED.description, risk = EXCLUDED.risk, remediation = EXCLUDED.remediation,
           mark = EXCLUDED.mark, place = EXCLUDED.place, invocation_id = EXCLUDED.invocation_id,
           points_lost = EXCLUDED.points_lost, waiver_id = EXCLUDED.waiver_id, last_run_id = $1,
           status = CASE WHEN findings.status = 'resolved' THEN 'open' ELSE findings.status END,
           status_since = CASE WHEN findings.status = 'resolved' THEN now() ELSE findings.status_since END,
           times_reopened = findings.times_reopened + (findings.status = 'resolved')::int`,
    [run.runId, run.agentId, run.line, JSON.stringify(seen.map(toRecord))],
  );
  await resolveUnseen(tx, run);
}

/** Resolves the findings of a line that this run did not find. For a run of the other line, that is all of them. */
export async function resolveUnseen(
  tx: Db,
  run: { runId: string; agentId: string; line: FindingLine },
): Promise<void> {
  await tx.query(
    `UPDATE findings SET status = 'resolved', status_since = now()
      WHERE agent_id = $1 AND line = $2 AND last_run_id <> $3 AND status <> 'resolved'`,
    [run.agentId, run.line, run.runId],
  );
}

/** Returns findings by fingerprint. */
export async function readFindings(
  db: Db,
  agentId: string,
  line: FindingLine,
  fingerprints: readonly string[],
): Promise<Map<string, FindingRow>> {
  const { rows } = await db.query<RawFinding>(
    'SELECT * FROM findings WHERE agent_id = $1 AND line = $2 AND fingerprint = ANY ($3)',
    [agentId, line, fingerprints],
  );
  return new Map(rows.map((row) => [row.fingerprint, toFinding(row)]));
}

/** Lists findings, newest first, with the total of the filter. */
export async function listFindings(
  db: Db,
  agentId: string,
  page: { status?: FindingStatus | undefined; limit: number; beforeId?: string | undefined },
): Promise<{ rows: FindingRow[]; total: number }> {
  const { rows } = await db.query<RawFinding>(
    `SELECT * FROM findings WHERE agent_id = $1 AND ($2::text IS NULL OR status = $2)
        AND ($3::text IS NULL OR finding_id < $3) ORDER BY finding_id DESC LIMIT $4`,
    [agentId, page.status ?? null, page.beforeId ?? null, page.limit],
  );
  const filter = '($2::text IS NULL OR status = $2)';
  const list = { from: 'findings', key: 'agent_id = $1', filter, order: 'finding_id DESC' };
  return { rows: rows.map(toFinding), total: await countRows(db, list, [agentId, page.status ?? null]) };
}

export async function lockFinding(
  tx: Db,
  agentId: string,
  findingId: string,
): Promise<FindingRow | undefined> {
  const { rows } = await tx.query<RawFinding>(
    'SELECT * FROM findings WHERE agent_id = $1 AND finding_id = $2 FOR UPDATE',
    [agentId, findingId],
  );
  return rows[0] && toFinding(rows[0]);
}

export async function setFindingStatus(tx: Db, findingId: string, status: FindingStatus): Promise<void> {
  await tx.query('UPDATE findings SET status = $2, status_since = now() WHERE finding_id = $1', [
    findingId,
    status,
  ]);
}

function toRecord({ findingId, invocationId, pointsLost, waiverId, ...finding }: SeenFinding) {
  return {
    finding_id: findingId,
    invocation_id: invocationId,
    points_lost: pointsLost,
    waiver_id: waiverId,
    ...finding,
  };
}

function toFinding(row: RawFinding): FindingRow {
  return {
    findingId: row.finding_id,
    line: row.line,
    fingerprint: row.fingerprint,
    stage: row.stage,
    severity: row.severity,
    category: row.category,
    description: row.description,
    risk: row.risk,
    remediation: row.remediation,
    mark: row.mark,
    place: row.place,
    invocationId: row.invocation_id,
    pointsLost: Number(row.points_lost),
    waiverId: row.waiver_id,
    status: row.status,
    firstSeenAt: row.first_seen_at,
  };
}
