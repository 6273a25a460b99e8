/** Lists of tools of MCP agents (`migrations/0167_tool_lists.sql`). */
import type { ToolListState } from '../../domain/catalogue/tools/tool-list';
import type { Db } from '../db';

/** What is known of the tools of a version. */
export interface ToolStateRow {
  /** The verified list; null if there is none. */
  listId: string | null;
  digest: string | null;
  /** The digest of the list that the server last gave, if it differed from the verified one at some time. */
  seen: string | null;
  /** Tools of the verified list that the server no longer lists. */
  gone: string[];
  /** True if a list of the version was refused, and none is verified. */
  isRefused: boolean;
}

/** One read by keys for each version and process every few seconds. */
export async function readToolState(db: Db, versionId: string): Promise<ToolStateRow> {
  const { rows } = await db.query<ToolStateRow>({
    name: 'tool-state',
    text: `SELECT l.list_id AS "listId", l.digest, w.digest AS seen, coalesce(w.gone, '{}') AS gone,
                  l.list_id IS NULL AND EXISTS (SELECT FROM tool_lists r WHERE r.version_id = v.id AND r.state = 'refused')
                    AS "isRefused"
             FROM (SELECT $1::text AS id) v
                  LEFT JOIN tool_lists l ON l.version_id = v.id AND l.state = 'verified'
                  LEFT JOIN tool_watches w ON w.version_id = v.id`,
    values: [versionId],
  });
  return rows[0]!;
}

/** The tools of a list, as JSON. Null if its text was deleted. */
export async function readTools(db: Db, listId: string): Promise<string | null> {
  const { rows } = await db.query<{ tools: string | null }>({
    name: 'tools-of-list',
    text: 'SELECT tools FROM tool_lists WHERE list_id = $1',
    values: [listId],
  });
  return rows[0]?.tools ?? null;
}

export interface VerifiedList {
  listId: string;
  digest: string;
  tools: string;
  isTakenOver: boolean;
}

/** Reads and locks the verified list of a version. Every change of the lists of a version locks it first. */
export async function lockVerified(tx: Db, versionId: string): Promise<VerifiedList | undefined> {
  const { rows } = await tx.query<VerifiedList>(
    `SELECT list_id AS "listId", digest, tools, taken_over AS "isTakenOver" FROM tool_lists
      WHERE version_id = $1 AND state = 'verified' FOR UPDATE`,
    [versionId],
  );
  return rows[0];
}

/** The verified list of the version that serves, as JSON; undefined if there is none. */
export async function readServedTools(db: Db, agentId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ tools: string }>(
    `SELECT l.tools FROM agents a JOIN tool_lists l ON l.version_id = a.serving_version_id AND l.state = 'verified'
      WHERE a.agent_id = $1`,
    [agentId],
  );
  return rows[0]?.tools;
}

export interface NewToolList {
  listId: string;
  agentId: string;
  versionId: string;
  digest: string;
  /** JSON. */
  tools: string;
  toolCount: number;
  changes: string;
}

const valuesOf = (list: NewToolList) => [
  list.listId,
  list.agentId,
  list.versionId,
  list.digest,
  list.tools,
  list.toolCount,
  list.changes,
];

/**
 * Stores the first list of a version that serves and has none as the verified one, if no process did before. Returns
 * whether it did.
 */
export async function insertTakenOver(tx: Db, list: NewToolList): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO tool_lists (list_id, agent_id, version_id, digest, tools, tool_count, changes, state, taken_over, decided_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, 'verified', true, now() FROM agents WHERE agent_id = $2 AND serving_version_id = $3
     ON CONFLICT (version_id) WHERE state = 'verified' DO NOTHING`,
    valuesOf(list),
  );
  return rowCount === 1;
}

/** Stores the list that a run saw. What waited, and what a run before left behind, is gone. */
export async function insertOfRun(tx: Db, list: NewToolList, runId: string): Promise<void> {
  await deleteCandidates(tx, list.versionId);
  await tx.query(
    `INSERT INTO tool_lists (list_id, agent_id, version_id, digest, tools, tool_count, changes, state, run_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'candidate', $8)`,
    [...valuesOf(list), runId],
  );
}

export async function deleteCandidates(tx: Db, versionId: string): Promise<void> {
  await tx.query(`DELETE FROM tool_lists WHERE version_id = $1 AND state = 'candidate'`, [versionId]);
}

/** Deletes the candidate that waits for a run. */
export async function deleteWaiting(tx: Db, versionId: string): Promise<void> {
  await tx.query(`DELETE FROM tool_lists WHERE version_id = $1 AND state = 'candidate' AND run_id IS NULL`, [
    versionId,
  ]);
}

/**
 * Stores a list that waits for a verification, in place of the one that waited, unless that one is younger than
 * `restMs`. Returns `new`, `other` if another one waited, or `resting`.
 */
export async function putWaiting(
  tx: Db,
  list: NewToolList,
  restMs: number,
): Promise<'new' | 'other' | 'resting'> {
  const { rows } = await tx.query<{ is_new: boolean }>(
    `INSERT INTO tool_lists AS l (list_id, agent_id, version_id, digest, tools, tool_count, changes, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'candidate')
     ON CONFLICT (version_id) WHERE state = 'candidate' AND run_id IS NULL DO UPDATE
       SET digest = excluded.digest, tools = excluded.tools, tool_count = excluded.tool_count,
           changes = excluded.changes, seen_at = now()
     WHERE l.seen_at < now() - $8 * interval '1 ms' RETURNING l.list_id = $1 AS is_new`,
    [...valuesOf(list), restMs],
  );
  if (!rows[0]) return 'resting';
  return rows[0].is_new ? 'new' : 'other';
}

/** True if a run looks at such a list, or refused it. It needs no other run. */
export async function isJudged(db: Db, versionId: string, digest: string): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT FROM tool_lists WHERE version_id = $1 AND digest = $2
        AND (state = 'refused' OR (state = 'candidate' AND run_id IS NOT NULL)) LIMIT 1`,
    [versionId, digest],
  );
  return rows.length > 0;
}

export interface WatchRow {
  agentId: string;
  versionId: string;
  digest: string;
  gone: readonly string[];
}

/** Notes what the server of a version lists. With `asks`, a verification becomes due, `restMs` after the last one. */
export async function putWatch(
  tx: Db,
  { agentId, versionId, digest, gone }: WatchRow,
  { asks, restMs }: { asks: boolean; restMs: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO tool_watches AS w (version_id, agent_id, digest, gone, due_at)
     VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN now() END)
     ON CONFLICT (version_id) DO UPDATE
       SET digest = excluded.digest, gone = excluded.gone, changed_at = now(),
           due_at = CASE WHEN $5 THEN greatest(now(), w.asked_at + $6 * interval '1 ms') END`,
    [versionId, agentId, digest, gone, asks, restMs],
  );
}

/** Versions whose tools need a verification now, those that wait longest first. */
export async function listDueWatches(
  db: Db,
  limit: number,
): Promise<{ agentId: string; versionId: string }[]> {
  const { rows } = await db.query<{ agentId: string; versionId: string }>(
    `SELECT agent_id AS "agentId", version_id AS "versionId" FROM tool_watches WHERE due_at <= now()
      ORDER BY due_at LIMIT $1`,
    [limit],
  );
  return rows;
}

export async function markWatchAsked(db: Db, versionId: string): Promise<void> {
  await db.query('UPDATE tool_watches SET due_at = NULL, asked_at = now() WHERE version_id = $1', [
    versionId,
  ]);
}

/** The list that a run saw. Undefined if it was the verified one, or none. */
export async function lockOfRun(
  tx: Db,
  runId: string,
): Promise<{ listId: string; digest: string; tools: string; changes: string } | undefined> {
  const { rows } = await tx.query<{ listId: string; digest: string; tools: string; changes: string }>(
    `SELECT list_id AS "listId", digest, tools, changes FROM tool_lists WHERE run_id = $1 AND state = 'candidate' FOR UPDATE`,
    [runId],
  );
  return rows[0];
}

/** Moves a list to a state in which it is decided. */
export async function moveList(
  tx: Db,
  listId: string,
  state: Exclude<ToolListState, 'candidate'>,
  reason: string | null = null,
): Promise<void> {
  await tx.query(
    `UPDATE tool_lists SET state = $2, reason = $3, decided_at = CASE WHEN $2 = 'replaced' THEN decided_at ELSE now() END
      WHERE list_id = $1`,
    [listId, state, reason],
  );
}

/** A run saw the list that was taken over, and verified it. */
export async function confirmTakenOver(tx: Db, listId: string, runId: string): Promise<void> {
  await tx.query(
    `UPDATE tool_lists SET taken_over = false, run_id = $2, decided_at = now(), signature = NULL WHERE list_id = $1`,
    [listId, runId],
  );
}

export async function deleteList(tx: Db, listId: string): Promise<void> {
  await tx.query('DELETE FROM tool_lists WHERE list_id = $1', [listId]);
}

/**
 * Deletes the texts of old lists of an agent beyond `most` lists or `mostBytes`, and the lists beyond `mostRows`. What
 * is verified or waits stays.
 */
export async function tidyLists(
  tx: Db,
  agentId: string,
  { most, mostBytes, mostRows }: { most: number; mostBytes: number; mostRows: number },
): Promise<void> {
  const old = `SELECT list_id, row_number() OVER w AS n, sum(octet_length(tools)) OVER w AS bytes FROM tool_lists
                WHERE agent_id = $1 AND state IN ('refused', 'replaced') WINDOW w AS (ORDER BY sequence DESC)`;
  await tx.query(
    `UPDATE tool_lists SET tools = NULL FROM (${old}) o
      WHERE tool_lists.list_id = o.list_id AND (o.n > $2 OR o.bytes > $3) AND tools IS NOT NULL`,
    [agentId, most, mostBytes],
  );
  await tx.query(
    `DELETE FROM tool_lists USING (${old}) o WHERE tool_lists.list_id = o.list_id AND o.n > $2`,
    [agentId, mostRows],
  );
}

/** The names of a version, for events. */
export async function readListNames(db: Db, versionId: string): Promise<{ slug: string; version: string }> {
  const { rows } = await db.query<{ slug: string; version: string }>(
    'SELECT slug, version FROM agent_versions WHERE version_id = $1',
    [versionId],
  );
  return rows[0]!;
}
