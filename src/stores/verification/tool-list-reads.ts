/** What everybody to whom an agent is shown reads of its lists of tools. */
import type { ToolListState } from '../../domain/catalogue/tools/tool-list';
import type { Db } from '../db';
import { countRows } from '../list-total';

export interface ServedList {
  listId: string;
  version: string;
  digest: string;
  tools: string;
  runId: string | null;
  isTakenOver: boolean;
  decidedAt: Date;
  signature: string | null;
  isChangeWaiting: boolean;
  gone: string[];
}

/** The list that buyers of an agent are served; undefined if there is none. */
export async function readServedList(db: Db, agentId: string): Promise<ServedList | undefined> {
  const { rows } = await db.query<ServedList>(
    `SELECT l.list_id AS "listId", v.version, l.digest, l.tools, l.run_id AS "runId", l.taken_over AS "isTakenOver",
            l.decided_at AS "decidedAt", l.signature, coalesce(w.gone, '{}') AS gone,
            EXISTS (SELECT FROM tool_lists c WHERE c.version_id = l.version_id AND c.state = 'candidate')
              AS "isChangeWaiting"
       FROM agents a JOIN tool_lists l ON l.version_id = a.serving_version_id AND l.state = 'verified'
            JOIN agent_versions v ON v.version_id = l.version_id
            LEFT JOIN tool_watches w ON w.version_id = l.version_id
      WHERE a.agent_id = $1`,
    [agentId],
  );
  return rows[0];
}

/** Stores the signature of a list. The first one is kept. Returns the one that is stored. */
export async function putListSignature(db: Db, listId: string, signature: string): Promise<string> {
  const { rows } = await db.query<{ signature: string }>(
    'UPDATE tool_lists SET signature = coalesce(signature, $2) WHERE list_id = $1 RETURNING signature',
    [listId, signature],
  );
  return rows[0]?.signature ?? signature;
}

export interface ChangeRow {
  sequence: string;
  listId: string;
  version: string;
  state: ToolListState;
  digest: string;
  toolCount: number;
  runId: string | null;
  seenAt: Date;
  decidedAt: Date | null;
  reason: string | null;
  /** JSON. */
  changes: string;
}

/** Lists of an agent, newest first. Without `any`, those of versions that have served. */
export async function listChanges(
  db: Db,
  agentId: string,
  page: { any: boolean; limit: number; beforeSequence?: string | undefined },
): Promise<{ rows: ChangeRow[]; total: number }> {
  const values = [agentId, page.any];
  const isShown = `($2::boolean OR EXISTS (SELECT FROM agent_versions s WHERE s.version_id = l.version_id AND s.live_at IS NOT NULL))`;
  const { rows } = await db.query<ChangeRow>(
    `SELECT l.sequence::text, l.list_id AS "listId", v.version, l.state, l.digest, l.tool_count AS "toolCount",
            l.run_id AS "runId", l.seen_at AS "seenAt", l.decided_at AS "decidedAt", l.reason, l.changes
       FROM tool_lists l JOIN agent_versions v USING (version_id)
      WHERE l.agent_id = $1 AND ($3::bigint IS NULL OR l.sequence < $3) AND ${isShown}
      ORDER BY l.sequence DESC LIMIT $4`,
    [...values, page.beforeSequence ?? null, page.limit],
  );
  const list = { from: 'tool_lists l', key: 'l.agent_id = $1', filter: isShown, order: 'l.sequence DESC' };
  return { rows, total: await countRows(db, list, values) };
}
