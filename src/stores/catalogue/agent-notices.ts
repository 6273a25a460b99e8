import type { AgentNoticeKind } from '../../domain/catalogue/agent-notice';
import type { Db } from '../db';
import { countRows } from '../list-total';

export interface NewNotice {
  noticeId: string;
  agentId: string;
  versionId: string;
  kind: AgentNoticeKind;
}

export interface NoticeRow {
  noticeId: string;
  kind: AgentNoticeKind;
  version: string;
  firstSeenAt: Date;
}

/** Inserts a version's first notice of a kind. Further notices of the same kind are ignored. */
export async function insertNotice(db: Db, notice: NewNotice): Promise<void> {
  await db.query(
    `INSERT INTO agent_notices (notice_id, agent_id, version_id, kind) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [notice.noticeId, notice.agentId, notice.versionId, notice.kind],
  );
}

/** The kinds of the notices about a version. */
export async function readNoticeKinds(db: Db, versionId: string): Promise<AgentNoticeKind[]> {
  const { rows } = await db.query<{ kind: AgentNoticeKind }>(
    'SELECT kind FROM agent_notices WHERE version_id = $1 ORDER BY kind',
    [versionId],
  );
  return rows.map(({ kind }) => kind);
}

/** Lists notices, newest first, with the total. `beforeId`: only notices before this id. */
export async function listNotices(
  db: Db,
  agentId: string,
  page: { limit: number; beforeId?: string | undefined },
): Promise<{ rows: NoticeRow[]; total: number }> {
  const { rows } = await db.query<{
    notice_id: string;
    kind: AgentNoticeKind;
    version: string;
    first_seen_at: Date;
  }>(
    `SELECT n.notice_id, n.kind, v.version, n.first_seen_at FROM agent_notices n JOIN agent_versions v USING (version_id)
      WHERE n.agent_id = $1 AND ($2::text IS NULL OR n.notice_id < $2) ORDER BY n.notice_id DESC LIMIT $3`,
    [agentId, page.beforeId ?? null, page.limit],
  );
  const list = { from: 'agent_notices', key: 'agent_id = $1', order: 'notice_id DESC' };
  return {
    rows: rows.map((row) => ({
      noticeId: row.notice_id,
      kind: row.kind,
      version: row.version,
      firstSeenAt: row.first_seen_at,
    })),
    total: await countRows(db, list, [agentId]),
  };
}
