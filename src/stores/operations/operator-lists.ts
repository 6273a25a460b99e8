/** Lists of all accounts, agents and calls, for operators. Each page reads a bounded number of rows of an index. */
import type { ErrorCode } from '../../domain/errors';
import type { AgentStatus } from '../../domain/catalogue/agent-state';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { MOST_COUNTED, MOST_SCANNED } from '../../domain/list-total';
import type { UserRow } from '../accounts/users';
import type { AgentRow } from '../catalogue/agents';
import type { Db } from '../db';
import { countRows } from '../list-total';
import { readNewestFirst } from '../months';

interface Page {
  beforeId?: string | undefined;
  limit: number;
}

export interface AccountInList {
  userId: string;
  email: string;
  displayName: string;
  developerId: string | null;
  role: UserRow['role'];
  emailConfirmed: boolean;
  frozen: boolean;
  createdAt: Date;
}

export interface AccountFilter extends Page {
  role?: UserRow['role'] | undefined;
  onlyFrozen: boolean;
}

/** Lists accounts, newest first. */
export async function listAccounts(
  db: Db,
  filter: AccountFilter,
): Promise<{ rows: AccountInList[]; total: number }> {
  const frozen = 'u.user_id = ANY (ARRAY (SELECT user_id FROM frozen_wallets))';
  const where = `${filter.role === undefined ? '$1::text IS NULL' : 'u.role = $1'}${filter.onlyFrozen ? ` AND ${frozen}` : ''}`;
  const { rows } = await db.query<AccountInList>(
    `SELECT u.user_id AS "userId", email, display_name AS "displayName", developer_id AS "developerId", role,
            email_confirmed_at IS NOT NULL AS "emailConfirmed", wallet_is_frozen(u.user_id) AS frozen,
            created_at AS "createdAt"
       FROM users u WHERE ${where} AND ($2::text IS NULL OR u.user_id < $2) ORDER BY u.user_id DESC LIMIT $3`,
    [filter.role ?? null, filter.beforeId ?? null, filter.limit],
  );
  const list = { from: 'users u', key: where, order: 'u.user_id DESC' };
  return { rows, total: await countRows(db, list, [filter.role ?? null]) };
}

export type AgentInList = Pick<
  AgentRow,
  'agentId' | 'developerUserId' | 'status' | 'listed' | 'badge' | 'trustScore' | 'createdAt'
> & { displayName: string | null };

export interface AgentFilter {
  developerUserId?: string | undefined;
  status?: AgentStatus | undefined;
  afterId?: string | undefined;
  limit: number;
}

/** Lists agents in any state, by their ids. */
export async function listAgents(
  db: Db,
  filter: AgentFilter,
): Promise<{ rows: AgentInList[]; total: number }> {
  // The status is written into the statement, so that Postgres can use the index over what is not active.
  const ofStatus = filter.status === undefined ? '' : ` AND a.status = '${filter.status}'`;
  const where = `${filter.developerUserId === undefined ? '$1::text IS NULL' : 'a.developer_user_id = $1'}${ofStatus}`;
  const { rows } = await db.query<AgentInList>(
    `SELECT a.agent_id AS "agentId", developer_user_id AS "developerUserId", status, listed, badge,
            trust_score AS "trustScore", a.created_at AS "createdAt",
            (SELECT v.display_name FROM agent_versions v WHERE v.version_id = a.serving_version_id) AS "displayName"
       FROM agents a WHERE ${where} AND ($2::text IS NULL OR a.agent_id > $2) ORDER BY a.agent_id LIMIT $3`,
    [filter.developerUserId ?? null, filter.afterId ?? null, filter.limit],
  );
  const list = { from: 'agents a', key: where, order: 'a.agent_id' };
  return { rows, total: await countRows(db, list, [filter.developerUserId ?? null]) };
}

export interface CallInList {
  invocationId: string;
  buyerUserId: string;
  agentId: string;
  version: string;
  surface: string;
  status: InvocationStatus;
  errorCode: ErrorCode | null;
  durationMs: number | null;
  chargedUnits: number;
  invokedAt: Date;
}

export interface CallFilter extends Page {
  buyerUserId?: string | undefined;
  agentId?: string | undefined;
  status?: InvocationStatus | undefined;
}

/** The condition and the order that one index serves. A range instead of an equality: only that index has the order. */
function indexFor({ buyerUserId, agentId }: CallFilter) {
  if (buyerUserId !== undefined)
    return {
      key: 'buyer_user_id >= $1 AND buyer_user_id <= $1',
      order: 'buyer_user_id, invocation_id DESC',
    };
  if (agentId !== undefined)
    return { key: 'agent_id >= $2 AND agent_id <= $2', order: 'agent_id, invocation_id DESC' };
  return { key: 'true', order: 'invocation_id DESC' };
}

const MATCHES = `($1::text IS NULL OR buyer_user_id = $1) AND ($2::text IS NULL OR agent_id = $2)
  AND ($3::text IS NULL OR status = $3)`;

interface FoundRow extends Omit<CallInList, 'invocationId' | 'chargedUnits'> {
  last: string;
  read: string;
  invocationId: string | null;
  chargedUnits: string | null;
}

const pageOf = (all: string, { key, order }: ReturnType<typeof indexFor>) => `WITH read AS MATERIALIZED (
    SELECT invocation_id, buyer_user_id, agent_id, version, surface, status, error_code, duration_ms, charged_units,
           invoked_at FROM ${all}invocations
     WHERE ${key} AND ($4::text IS NULL OR invocation_id >= $4) AND ($5::text IS NULL OR invocation_id < $5)
     ORDER BY ${order} LIMIT $6)
  SELECT scan.*, c.* FROM (SELECT min(invocation_id) AS last, count(*) AS read FROM read) scan
    LEFT JOIN LATERAL (
      SELECT invocation_id AS "invocationId", buyer_user_id AS "buyerUserId", agent_id AS "agentId", version, surface,
             status, error_code AS "errorCode", duration_ms AS "durationMs", charged_units AS "chargedUnits",
             invoked_at AS "invokedAt"
        FROM read WHERE ${MATCHES} ORDER BY invocation_id DESC LIMIT $7) c ON true
   ORDER BY c."invocationId" DESC`;

/**
 * Lists calls of all accounts, newest first. Compares at most `MOST_SCANNED` with the filter; `scannedTo` is the last
 * of them.
 */
export async function listCalls(db: Db, filter: CallFilter) {
  const { buyerUserId = null, agentId = null, status = null, beforeId, limit } = filter;
  const index = indexFor(filter);
  const isScanned = status !== null || (buyerUserId !== null && agentId !== null);
  const most = isScanned ? MOST_SCANNED : limit;
  const rows = await readNewestFirst(
    { prefix: 'inv', beforeId },
    async (from, all) =>
      (
        await db.query<FoundRow>(pageOf(all, index), [
          ...[buyerUserId, agentId, status, from, beforeId ?? null],
          ...[most, limit],
        ])
      ).rows,
    (found) => Number(found[0]?.read) === most,
  );
  const total = await readNewestFirst(
    { prefix: 'inv', beforeId: undefined },
    (from, all) =>
      countRows(
        db,
        {
          from: `${all}invocations`,
          key: `${index.key} AND ($4::text IS NULL OR invocation_id >= $4)`,
          order: index.order,
          filter: MATCHES,
        },
        [buyerUserId, agentId, status, from],
      ),
    (counted) => counted > MOST_COUNTED,
  );
  return {
    rows: rows.flatMap(toCall),
    total,
    scannedTo: isScanned && Number(rows[0]?.read) === MOST_SCANNED ? rows[0]?.last : undefined,
  };
}

function toCall({ last: _last, read: _read, invocationId, chargedUnits, ...row }: FoundRow): CallInList[] {
  if (invocationId === null) return [];
  return [{ ...row, invocationId, chargedUnits: unitsFromDatabase(chargedUnits ?? 0) }];
}
