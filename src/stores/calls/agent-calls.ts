/** The calls of an agent, as its developer reads them: facts, and never the buyer, the input or the output. */
import type { ErrorCode } from '../../domain/errors';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { MOST_COUNTED, MOST_SCANNED } from '../../domain/list-total';
import { CALL_FACTS, type CallFactsRow, type DisputedCall, toDisputedCall } from '../disputes/disputed-call';
import type { Db } from '../db';
import { countRows } from '../list-total';
import type { FailureFacts } from '../../domain/calls/failure-facts';
import { FAILURE_COLUMNS, type FailureRow, toFailure, WITH_FAILURES } from './call-failures';
import { placeOfIds, readNewestFirst } from '../months';

export interface AgentCallRow extends DisputedCall {
  invocationId: string;
  status: InvocationStatus;
  errorCode: ErrorCode | null;
  traceId: string;
  /** Where the call failed; null for a call that did not, and after 31 days. */
  failure: Omit<FailureFacts, 'words'> | null;
}

interface RawRow extends CallFactsRow, FailureRow {
  invocation_id: string;
  status: InvocationStatus;
  error_code: ErrorCode | null;
  trace_id: string;
}

export interface AgentCallFilter {
  agentId: string;
  status?: InvocationStatus | undefined;
  /** Only calls older than this id. */
  beforeId?: string | undefined;
  limit: number;
}

type FoundRow = { last: string; read: string } & (RawRow | { invocation_id: null });

/** A range instead of an equality: only the index over agents has this order, as for the calls of a buyer. */
const OF_AGENT = {
  key: 'agent_id >= $1 AND agent_id <= $1 AND ($2::text IS NULL OR invocation_id >= $2)',
  order: 'agent_id, invocation_id DESC',
};
const MATCHES = '($3::text IS NULL OR status = $3)';

const pageOf = (all: string) => `WITH read AS MATERIALIZED (
    SELECT invocation_id, status FROM ${all}invocations
     WHERE ${OF_AGENT.key} AND ($4::text IS NULL OR invocation_id < $4) ORDER BY ${OF_AGENT.order} LIMIT $5),
  found AS (SELECT invocation_id AS id FROM read WHERE ${MATCHES} ORDER BY invocation_id DESC LIMIT $6)
  SELECT scan.*, c.* FROM (SELECT min(invocation_id) AS last, count(*) AS read FROM read) scan
    LEFT JOIN LATERAL (
      SELECT i.invocation_id, i.status, i.error_code, i.trace_id, ${FAILURE_COLUMNS}, ${CALL_FACTS}
        FROM found JOIN ${all}invocations i ON i.invocation_id = found.id JOIN agents a ON a.agent_id = i.agent_id
        JOIN agent_versions v ON v.version_id = i.version_id ${WITH_FAILURES}
       WHERE $2::text IS NULL OR i.invocation_id >= $2) c ON true
   ORDER BY c.invocation_id DESC`;

/**
 * Lists an agent's calls, newest first. Compares at most `MOST_SCANNED` with the filter; `scannedTo` is the last of
 * them.
 */
export async function listAgentCalls(db: Db, filter: AgentCallFilter) {
  const { agentId, status = null, beforeId, limit } = filter;
  const most = status === null ? limit : MOST_SCANNED;
  const rows = await readNewestFirst(
    { prefix: 'inv', beforeId },
    async (from, all) =>
      (await db.query<FoundRow>(pageOf(all), [agentId, from, status, beforeId ?? null, most, limit])).rows,
    (found) => Number(found[0]?.read) === most,
  );
  const total = await readNewestFirst(
    { prefix: 'inv', beforeId: undefined },
    (from, all) =>
      countRows(db, { from: `${all}invocations`, ...OF_AGENT, filter: MATCHES }, [agentId, from, status]),
    (counted) => counted > MOST_COUNTED,
  );
  return {
    rows: rows.filter((row) => row.invocation_id !== null).map(toRow),
    total,
    scannedTo: status !== null && Number(rows[0]?.read) === MOST_SCANNED ? rows[0]?.last : undefined,
  };
}

/**
 * The last UTC day up to `until` on which the agent has calls that ended with this status, from the figures by day; as
 * its beginning. Undefined if there is none. A call belongs to the day on which it was accepted.
 */
export async function readLastDayWith(
  db: Db,
  { agentId, status, until }: { agentId: string; status: InvocationStatus; until: Date },
): Promise<Date | undefined> {
  const matches = `agent_id = $1 AND status = $2 AND calls > 0 AND day <= ($3::timestamptz AT TIME ZONE 'UTC')::date`;
  const { rows } = await db.query<{ day: string | null }>(
    `SELECT greatest((SELECT day FROM agent_days WHERE ${matches} ORDER BY day DESC LIMIT 1),
                     (SELECT max(day) FROM usage_changes WHERE ${matches}))::text AS day`,
    [agentId, status, until],
  );
  const day = rows[0]?.day ?? undefined;
  return day === undefined ? undefined : new Date(`${day}T00:00:00Z`);
}

/** Reads one call of an agent; undefined if the agent has no such call. */
export async function readAgentCall(
  db: Db,
  agentId: string,
  invocationId: string,
): Promise<AgentCallRow | undefined> {
  const { rows } = await db.query<RawRow>(
    `SELECT i.invocation_id, i.status, i.error_code, i.trace_id, ${FAILURE_COLUMNS}, ${CALL_FACTS}
       FROM ${placeOfIds([invocationId])}invocations i JOIN agents a ON a.agent_id = i.agent_id
       JOIN agent_versions v ON v.version_id = i.version_id ${WITH_FAILURES}
      WHERE i.invocation_id = $1 AND i.agent_id = $2`,
    [invocationId, agentId],
  );
  return rows[0] && toRow(rows[0]);
}

function toRow(row: RawRow): AgentCallRow {
  return {
    ...toDisputedCall(row),
    invocationId: row.invocation_id,
    status: row.status,
    errorCode: row.error_code,
    traceId: row.trace_id,
    failure: toFailure(row),
  };
}
