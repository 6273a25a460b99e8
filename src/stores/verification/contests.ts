import type { FindingNoticeKind } from '../../domain/bonds/developer-notice';
import type { ContestStatus } from '../../domain/verification/contest';
import type { FindingStatus } from '../../domain/verification/finding';
import type { Severity } from '../../domain/verification/trust';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** Contests of findings (`migrations/0014_verification.sql`). */
export interface ContestRow {
  contestId: string;
  agentId: string;
  findingId: string;
  developerUserId: string;
  severity: Severity;
  category: string;
  description: string;
  findingStatus: FindingStatus;
  status: ContestStatus;
  statement: string;
  openedAt: Date;
  decidedAt: Date | null;
  decidedBy: string | null;
  decisionReason: string | null;
  waiverId: string | null;
}

const SELECT = `SELECT c.contest_id AS "contestId", c.agent_id AS "agentId", c.finding_id AS "findingId",
    c.developer_user_id AS "developerUserId", f.severity, f.category, f.description, f.status AS "findingStatus",
    c.status, c.statement, c.opened_at AS "openedAt", c.decided_at AS "decidedAt", c.decided_by AS "decidedBy",
    c.decision_reason AS "decisionReason", c.waiver_id AS "waiverId"
  FROM finding_contests c JOIN findings f USING (finding_id)`;

export async function insertContest(
  tx: Db,
  contest: Pick<ContestRow, 'contestId' | 'agentId' | 'findingId' | 'developerUserId' | 'statement'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO finding_contests (contest_id, agent_id, finding_id, developer_user_id, statement)
     VALUES ($1, $2, $3, $4, $5)`,
    [contest.contestId, contest.agentId, contest.findingId, contest.developerUserId, contest.statement],
  );
}

/** How many contests a finding has had, and how many of the developer's wait. Counts at most `most` of each. */
export async function countContests(
  tx: Db,
  { findingId, developerUserId, most }: { findingId: string; developerUserId: string; most: number },
): Promise<{ ofFinding: number; open: number }> {
  const { rows } = await tx.query<{ ofFinding: number; open: number }>(
    `SELECT (SELECT count(*)::int FROM (SELECT FROM finding_contests WHERE finding_id = $1 LIMIT $3) c) AS "ofFinding",
            (SELECT count(*)::int FROM (SELECT FROM finding_contests WHERE developer_user_id = $2 AND status = 'open'
               LIMIT $3) c) AS open`,
    [findingId, developerUserId, most],
  );
  return rows[0] ?? { ofFinding: 0, open: 0 };
}

export async function readContest(db: Db, contestId: string): Promise<ContestRow | undefined> {
  const { rows } = await db.query<ContestRow>(`${SELECT} WHERE c.contest_id = $1`, [contestId]);
  return rows[0];
}

/** Locks a contest until the end of the transaction. Returns its status. */
export async function lockContest(tx: Db, contestId: string): Promise<ContestStatus | undefined> {
  const { rows } = await tx.query<{ status: ContestStatus }>(
    'SELECT status FROM finding_contests WHERE contest_id = $1 FOR UPDATE',
    [contestId],
  );
  return rows[0]?.status;
}

/** The open contest of a finding, if there is one. */
export async function readOpenContest(db: Db, findingId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ contest_id: string }>(
    `SELECT contest_id FROM finding_contests WHERE finding_id = $1 AND status = 'open'`,
    [findingId],
  );
  return rows[0]?.contest_id;
}

export async function decideContest(
  tx: Db,
  contestId: string,
  decision: { status: 'accepted' | 'refused'; by: string; reason: string; waiverId: string | null },
): Promise<void> {
  await tx.query(
    `UPDATE finding_contests SET status = $2, decided_at = now(), decided_by = $3, decision_reason = $4, waiver_id = $5
      WHERE contest_id = $1 AND status = 'open'`,
    [contestId, decision.status, decision.by, decision.reason, decision.waiverId],
  );
}

/** Lists contests, newest first, with the total. */
export async function listContests(
  db: Db,
  page: { status: ContestStatus; limit: number; beforeId?: string | undefined },
): Promise<{ rows: ContestRow[]; total: number }> {
  const { rows } = await db.query<ContestRow>(
    `${SELECT} WHERE c.status = $1 AND ($2::text IS NULL OR c.contest_id < $2) ORDER BY c.contest_id DESC LIMIT $3`,
    [page.status, page.beforeId ?? null, page.limit],
  );
  const list = { from: 'finding_contests c', key: 'c.status = $1', order: 'c.contest_id DESC' };
  return { rows, total: await countRows(db, list, [page.status]) };
}

export interface FindingCases {
  waiver: { reason: string; expiresAt: Date } | null;
  /** The newest contest. */
  contest: Pick<
    ContestRow,
    'contestId' | 'status' | 'statement' | 'openedAt' | 'decidedAt' | 'decisionReason'
  > | null;
}

/** The waiver that holds and the newest contest of each finding, by finding id. */
export async function readCasesOf(db: Db, findingIds: readonly string[]): Promise<Map<string, FindingCases>> {
  const { rows } = await db.query<{
    finding_id: string;
    reason: string | null;
    expires_at: Date | null;
    contest_id: string | null;
    status: ContestStatus;
    statement: string;
    opened_at: Date;
    decided_at: Date | null;
    decision_reason: string | null;
  }>(
    `SELECT f.finding_id, w.reason, w.expires_at, c.contest_id, c.status, c.statement, c.opened_at, c.decided_at,
            c.decision_reason
       FROM findings f
       LEFT JOIN finding_waivers w ON w.agent_id = f.agent_id AND w.fingerprint = f.fingerprint AND w.mark = f.mark
         AND w.ended_at IS NULL AND w.expires_at > now()
       LEFT JOIN LATERAL (SELECT * FROM finding_contests c WHERE c.finding_id = f.finding_id
         ORDER BY c.contest_id DESC LIMIT 1) c ON true
      WHERE f.finding_id = ANY ($1)`,
    [findingIds],
  );
  return new Map(
    rows.map((row) => [
      row.finding_id,
      {
        waiver:
          row.reason === null || row.expires_at === null
            ? null
            : { reason: row.reason, expiresAt: row.expires_at },
        contest:
          row.contest_id === null
            ? null
            : {
                contestId: row.contest_id,
                status: row.status,
                statement: row.statement,
                openedAt: row.opened_at,
                decidedAt: row.decided_at,
                decisionReason: row.decision_reason,
              },
      },
    ]),
  );
}

/** Writes a notice to the owner of a finding. */
export async function notifyOfFinding(
  tx: Db,
  notice: {
    developerUserId: string;
    kind: FindingNoticeKind;
    agentId: string;
    data: Record<string, unknown>;
  },
): Promise<void> {
  await tx.query('SELECT finding_notify($1, $2, $3, $4::jsonb)', [
    notice.developerUserId,
    notice.kind,
    notice.agentId,
    JSON.stringify(notice.data),
  ]);
}
