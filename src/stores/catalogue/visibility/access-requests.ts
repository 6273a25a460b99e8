/** Requests for access to private agents (`migrations/0151_access_requests.sql`). */
import type { AccessRequestState } from '../../../domain/catalogue/agent-state';
import type { Db } from '../../db';
import { countRows } from '../../list-total';

/** Makes the link of an agent, in place of the one before. `hash`: the SHA-256 of its token. */
export async function putAccessLink(db: Db, agentId: string, hash: Buffer): Promise<void> {
  await db.query(
    `INSERT INTO agent_access_links (agent_id, token_sha256) VALUES ($1, $2)
     ON CONFLICT (agent_id) DO UPDATE SET token_sha256 = excluded.token_sha256, made_at = now()`,
    [agentId, hash],
  );
}

/** When the link of an agent was made; null if it has none. */
export async function readAccessLinkTime(db: Db, agentId: string): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date }>(
    'SELECT made_at AS at FROM agent_access_links WHERE agent_id = $1',
    [agentId],
  );
  return rows[0]?.at ?? null;
}

/** False if the agent has no link. */
export async function deleteAccessLink(db: Db, agentId: string): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM agent_access_links WHERE agent_id = $1', [agentId]);
  return rowCount === 1;
}

/** The agent of a link, as the account that has the link sees it. */
export interface LinkedAgent {
  agentId: string;
  slug: string;
  displayName: string;
  developerUserId: string;
  developerName: string;
  /** The account sees the agent. */
  isShown: boolean;
  /** The newest request of the account. */
  state: AccessRequestState | null;
  decidedAt: Date | null;
}

/** The live agent of a link; undefined if the link has ended. */
export async function readLinkedAgent(
  db: Db,
  hash: Buffer,
  ownerId: string,
): Promise<LinkedAgent | undefined> {
  const { rows } = await db.query<LinkedAgent>(
    `SELECT a.agent_id AS "agentId", a.slug, v.display_name AS "displayName", a.developer_user_id AS "developerUserId",
            u.display_name AS "developerName", r.state, r.decided_at AS "decidedAt",
            agent_shown_to(a.agent_id, a.developer_user_id, $2) AS "isShown"
       FROM agent_access_links l JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id
       JOIN users u ON u.user_id = a.developer_user_id
       LEFT JOIN LATERAL (SELECT q.state, q.decided_at FROM agent_access_requests q
                           WHERE q.owner_id = $2 AND q.agent_id = a.agent_id ORDER BY q.request_id DESC LIMIT 1) r ON true
      WHERE l.token_sha256 = $1 AND a.status = 'active'`,
    [hash, ownerId],
  );
  return rows[0];
}

/** Locks an account for its requests, and counts those since a time. */
export async function countRequestsForUpdate(tx: Db, ownerId: string, sinceId: string): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [ownerId]);
  const { rows } = await tx.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM agent_access_requests WHERE owner_id = $1 AND request_id >= $2',
    [ownerId, sinceId],
  );
  return rows[0]?.n ?? 0;
}

export async function insertAccessRequest(
  tx: Db,
  request: { requestId: string; agentId: string; developerUserId: string; ownerId: string; reason: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO agent_access_requests (request_id, agent_id, developer_user_id, owner_id, reason)
     VALUES ($1, $2, $3, $4, $5)`,
    [request.requestId, request.agentId, request.developerUserId, request.ownerId, request.reason],
  );
}

export interface AccessRequestRow {
  requestId: string;
  agentId: string;
  /** The account that asks. */
  ownerId: string;
  name: string;
  reason: string;
  state: AccessRequestState;
  askedAt: Date;
  decidedAt: Date | null;
}

const COLUMNS = `r.request_id AS "requestId", r.agent_id AS "agentId", r.owner_id AS "ownerId", u.display_name AS name,
  r.reason, r.state, r.asked_at AS "askedAt", r.decided_at AS "decidedAt"`;
const FROM = 'agent_access_requests r JOIN users u ON u.user_id = r.owner_id';

export async function readAccessRequest(
  db: Db,
  agentId: string,
  requestId: string,
): Promise<AccessRequestRow | undefined> {
  const { rows } = await db.query<AccessRequestRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE r.request_id = $2 AND r.agent_id = $1`,
    [agentId, requestId],
  );
  return rows[0];
}

/** Decides a request whose agent is locked. */
export async function decideAccessRequest(
  tx: Db,
  requestId: string,
  state: Exclude<AccessRequestState, 'pending'>,
): Promise<void> {
  await tx.query('UPDATE agent_access_requests SET state = $2, decided_at = now() WHERE request_id = $1', [
    requestId,
    state,
  ]);
}

interface RequestPage {
  limit: number;
  beforeId: string | undefined;
}

/** Lists the requests for an agent, newest first. */
export async function listRequestsFor(
  db: Db,
  agentId: string,
  { limit, beforeId, state }: RequestPage & { state: AccessRequestState | undefined },
): Promise<{ rows: AccessRequestRow[]; total: number }> {
  const { rows } = await db.query<AccessRequestRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE r.agent_id = $1 AND ($2::text IS NULL OR r.state = $2)
        AND ($3::text IS NULL OR r.request_id < $3) ORDER BY r.request_id DESC LIMIT $4`,
    [agentId, state ?? null, beforeId ?? null, limit],
  );
  const list = {
    from: 'agent_access_requests r',
    key: 'r.agent_id = $1',
    filter: '($2::text IS NULL OR r.state = $2)',
  };
  return { rows, total: await countRows(db, list, [agentId, state ?? null]) };
}

/** Lists the requests that wait for the decision of a developer, newest first. */
export async function listWaitingRequests(
  db: Db,
  developerUserId: string,
  { limit, beforeId }: RequestPage,
): Promise<{ rows: AccessRequestRow[]; total: number }> {
  const waiting = `r.developer_user_id = $1 AND r.state = 'pending'`;
  const { rows } = await db.query<AccessRequestRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE ${waiting} AND ($2::text IS NULL OR r.request_id < $2)
      ORDER BY r.request_id DESC LIMIT $3`,
    [developerUserId, beforeId ?? null, limit],
  );
  const list = { from: 'agent_access_requests r', key: waiting };
  return { rows, total: await countRows(db, list, [developerUserId]) };
}

/** Lists the requests of an account, newest first. */
export async function listRequestsOf(
  db: Db,
  ownerId: string,
  { limit, beforeId }: RequestPage,
): Promise<{ rows: AccessRequestRow[]; total: number }> {
  const { rows } = await db.query<AccessRequestRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE r.owner_id = $1 AND ($2::text IS NULL OR r.request_id < $2)
      ORDER BY r.request_id DESC LIMIT $3`,
    [ownerId, beforeId ?? null, limit],
  );
  const list = { from: 'agent_access_requests r', key: 'r.owner_id = $1' };
  return { rows, total: await countRows(db, list, [ownerId]) };
}
