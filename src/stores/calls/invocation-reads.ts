import type { ErrorCode } from '../../domain/errors';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { MOST_COUNTED, MOST_SCANNED } from '../../domain/list-total';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import { countRows } from '../list-total';
import { placeOfIds, readNewestFirst } from '../months';
import {
  CALL_COLUMNS,
  type InvocationFilter,
  type InvocationPage,
  type InvocationRow,
  MATCHES,
  type RawRow,
  toRow,
} from './invocation-rows';
import { listTagged } from './tagged-calls';

export type { InvocationFilter, InvocationRow };

/** A call with the terms of its version that apply after it has ended. */
export type InvocationDetail = InvocationRow & {
  retentionDays: number;
  agentKind: 'manifest' | 'http' | 'mcp' | 'a2a';
  /** A worker performs it. */
  isTask: boolean;
};

type RawDetail = RawRow & {
  retention_days: number;
  is_task: boolean;
  agent_kind: InvocationDetail['agentKind'];
};

export async function readInvocation(db: Db, invocationId: string): Promise<InvocationDetail | undefined> {
  const all = placeOfIds([invocationId]);
  const result = await db.query<RawDetail>({
    name: `invocation-read${all}`,
    text: `SELECT ${CALL_COLUMNS}, is_task, (SELECT v.retention_days FROM agent_versions v WHERE v.version_id = called.version_id),
             (SELECT a.kind FROM agents a WHERE a.agent_id = called.agent_id) AS agent_kind
             FROM ${all}invocations called WHERE invocation_id = $1`,
    values: [invocationId],
  });
  const row = result.rows[0];
  return (
    row && {
      ...toRow(row),
      retentionDays: row.retention_days,
      agentKind: row.agent_kind,
      isTask: row.is_task,
    }
  );
}

/** When a call was sent to its agent; null if it was not. */
export async function readForwardedAt(db: Db, invocationId: string): Promise<Date | null> {
  const { rows } = await db.query<{ forwarded_at: Date | null }>(
    `SELECT forwarded_at FROM ${placeOfIds([invocationId])}holds WHERE invocation_id = $1`,
    [invocationId],
  );
  return rows[0]?.forwarded_at ?? null;
}

/**
 * Lists a buyer's calls, newest first, with the total of the filter. Compares at most `MOST_SCANNED` with the filter.
 */
export async function listInvocations(db: Db, filter: InvocationFilter): Promise<InvocationPage> {
  if (filter.isAsked === true) return listAsked(db, filter);
  if (filter.tag !== undefined) return listTagged(db, { ...filter, tag: filter.tag });
  const { buyerUserId, agentId = null, status = null, keyId = null, fromId = null, toId = null } = filter;
  const isFiltered = agentId !== null || status !== null || keyId !== null;
  const most = isFiltered ? MOST_SCANNED : filter.limit;
  const valuesFrom = (from: string | null) => [buyerUserId, agentId, status, keyId, from, toId];
  const place = { prefix: 'inv', fromId } as const;
  const beforeId = [filter.beforeId, filter.toId].filter((id) => id !== undefined).sort()[0];
  const rows = await readNewestFirst(
    { ...place, beforeId },
    async (from, all) =>
      (
        await db.query<FoundRow>(pageOf(all), [
          ...valuesFrom(from),
          filter.beforeId ?? null,
          most,
          filter.limit,
        ])
      ).rows,
    (found) => Number(found[0]?.read) === most,
  );
  const list = { ...OF_BUYER, filter: isFiltered ? MATCHES : ANY_FILTER };
  return {
    rows: rows.filter((row) => row.invocation_id !== null).map(toRow),
    total: await readNewestFirst(
      { ...place, beforeId: filter.toId },
      (from, all) => countRows(db, { ...list, from: `${all}invocations` }, valuesFrom(from)),
      (total) => total > MOST_COUNTED,
    ),
    scannedTo: isFiltered && Number(rows[0]?.read) === MOST_SCANNED ? rows[0]?.last : undefined,
  };
}

/** Calls whose questions wait for the buyer: the index over open questions holds no other. */
async function listAsked(db: Db, filter: InvocationFilter): Promise<InvocationPage> {
  const { buyerUserId, agentId = null, status = null, keyId = null, fromId = null, toId = null } = filter;
  const open = `FROM invocations called WHERE called.invocation_id = ANY (ARRAY(
      SELECT q.invocation_id FROM job_questions q WHERE q.buyer_user_id = $1 AND q.is_open))
    AND ${MATCHES} AND ($5::text IS NULL OR invocation_id >= $5) AND ($6::text IS NULL OR invocation_id < $6)
    AND ($7::text IS NULL OR EXISTS (SELECT FROM call_tags t
      WHERE t.buyer_user_id = $1 AND t.tag = $7 AND t.invocation_id = called.invocation_id))`;
  const values = [buyerUserId, agentId, status, keyId, fromId, toId, filter.tag ?? null];
  const { rows } = await db.query<RawRow>(
    `SELECT ${CALL_COLUMNS} ${open} AND ($8::text IS NULL OR invocation_id < $8) ORDER BY invocation_id DESC LIMIT $9`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const counted = await db.query<{ total: string }>(`SELECT count(*) AS total ${open}`, values);
  return { rows: rows.map(toRow), total: Number(counted.rows[0]?.total ?? 0), scannedTo: undefined };
}

type FoundRow = { last: string; read: string } & (RawRow | { invocation_id: null });
/**
 * The calls of a buyer, newest first. A range instead of an equality: only the index over buyers has this order, so
 * that Postgres cannot walk the primary key past the calls of everybody else.
 */
const OF_BUYER = {
  key: `buyer_user_id >= $1 AND buyer_user_id <= $1
    AND ($5::text IS NULL OR invocation_id >= $5) AND ($6::text IS NULL OR invocation_id < $6)`,
  order: 'buyer_user_id, invocation_id DESC',
};

/** True for every row; names the parameters, whose types Postgres must know. */
const ANY_FILTER = '($2::text IS NULL AND $3::text IS NULL AND $4::text IS NULL)';

const pageOf = (all: string) => `WITH read AS MATERIALIZED (
    SELECT invocation_id, agent_id, status, key_id FROM ${all}invocations
     WHERE ${OF_BUYER.key} AND ($7::text IS NULL OR invocation_id < $7) ORDER BY ${OF_BUYER.order} LIMIT $8),
  found AS (SELECT invocation_id AS id FROM read WHERE ${MATCHES} ORDER BY invocation_id DESC LIMIT $9)
  SELECT scan.*, i.* FROM (SELECT min(invocation_id) AS last, count(*) AS read FROM read) scan
    LEFT JOIN LATERAL (SELECT ${CALL_COLUMNS} FROM found JOIN ${all}invocations called ON invocation_id = found.id
      WHERE $5::text IS NULL OR invocation_id >= $5) i ON true
   ORDER BY i.invocation_id DESC`;

export type FinalStatus = Exclude<InvocationStatus, 'pending' | 'running'>;

/** Returns those of the given calls that have ended. */
export async function readFinalStates(
  db: Db,
  ids: string[],
): Promise<{ invocationId: string; status: FinalStatus; errorCode: ErrorCode | null }[]> {
  const result = await db.query<{
    invocation_id: string;
    status: FinalStatus;
    error_code: ErrorCode | null;
  }>({
    name: 'invocation-final-states',
    text: `SELECT invocation_id, status, error_code FROM invocations
            WHERE invocation_id = ANY($1) AND status NOT IN ('pending', 'running')`,
    values: [ids],
  });
  return result.rows.map((row) => ({
    invocationId: row.invocation_id,
    status: row.status,
    errorCode: row.error_code,
  }));
}

/** How a call ended, and when its steps were done, in ms since it was accepted; null for what the rows do not say. */
export interface RecordedEnd {
  invocationId: string;
  status: FinalStatus;
  errorCode: ErrorCode | null;
  chargedUnits: number | null;
  heldMs: number | null;
  forwardedMs: number | null;
  settledMs: number | null;
}

/** Returns how those of the given calls that have ended did so. */
export async function readRecordedEnds(db: Db, ids: string[]): Promise<RecordedEnd[]> {
  const result = await db.query<{ [Column in keyof RecordedEnd]: RecordedEnd[Column] | string }>({
    name: 'invocation-recorded-ends',
    text: `SELECT i.invocation_id AS "invocationId", i.status, i.error_code AS "errorCode",
                  i.charged_units AS "chargedUnits",
                  (extract(epoch FROM h.created_at - i.invoked_at) * 1000)::integer AS "heldMs",
                  least((extract(epoch FROM h.forwarded_at - i.invoked_at) * 1000)::integer + i.duration_ms,
                    (extract(epoch FROM i.settled_at - i.invoked_at) * 1000)::integer) AS "forwardedMs",
                  (extract(epoch FROM i.settled_at - i.invoked_at) * 1000)::integer AS "settledMs"
             FROM invocations i LEFT JOIN holds h ON h.invocation_id = i.invocation_id
            WHERE i.invocation_id = ANY($1) AND i.status NOT IN ('pending', 'running')`,
    values: [ids],
  });
  return result.rows.map((row) => ({
    ...(row as RecordedEnd),
    chargedUnits: row.chargedUnits === null ? null : unitsFromDatabase(String(row.chargedUnits)),
  }));
}

/** The encrypted answer of a call with an idempotency key; undefined when it has expired. */
export async function readSealedAnswer(db: Db, invocationId: string): Promise<Buffer | undefined> {
  const result = await db.query<{ answer: Buffer }>({
    name: 'invocation-answer',
    text: 'SELECT answer FROM invocation_answers WHERE invocation_id = $1 AND expires_at > now()',
    values: [invocationId],
  });
  return result.rows[0]?.answer;
}

/** Registers `owner` for a notification on `invocation_settled` when the call ends, in whichever process it runs. */
export async function addWaiter(db: Db, invocationId: string, owner: string): Promise<void> {
  await db.query('SELECT invocation_wait($1, $2)', [invocationId, owner]);
}
