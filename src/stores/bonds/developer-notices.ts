import type { DeveloperNoticeKind } from '../../domain/bonds/developer-notice';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** Notices to developers (`migrations/0013_bonds.sql`). The SQL functions of bonds and slashes write them. */
export interface DeveloperNoticeRow {
  noticeId: string;
  kind: DeveloperNoticeKind;
  slashId: string | null;
  agentId: string | null;
  data: Record<string, unknown>;
  at: Date;
}

/** Lists notices, newest first, with the total. `beforeId`: only notices before this id. */
export async function listDeveloperNotices(
  db: Db,
  developerUserId: string,
  page: { limit: number; beforeId?: string | undefined },
): Promise<{ rows: DeveloperNoticeRow[]; total: number }> {
  const { rows } = await db.query<{
    notice_id: string;
    kind: DeveloperNoticeKind;
    slash_id: string | null;
    agent_id: string | null;
    data: Record<string, unknown>;
    at: Date;
  }>(
    `SELECT notice_id, kind, slash_id, agent_id, data, at FROM developer_notices
      WHERE developer_user_id = $1 AND ($2::text IS NULL OR notice_id < $2) ORDER BY notice_id DESC LIMIT $3`,
    [developerUserId, page.beforeId ?? null, page.limit],
  );
  const list = { from: 'developer_notices', key: 'developer_user_id = $1', order: 'notice_id DESC' };
  return {
    rows: rows.map((row) => ({
      noticeId: row.notice_id,
      kind: row.kind,
      slashId: row.slash_id,
      agentId: row.agent_id,
      data: row.data,
      at: row.at,
    })),
    total: await countRows(db, list, [developerUserId]),
  };
}
