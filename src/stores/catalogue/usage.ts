/**
 * Usage statistics for the owner of an agent. Whole UTC days are read from the roll-up (`migrations/0016_usage.sql`),
 * which is exact at any time; the rest of a window, at most two parts of days, from the rows of calls. Verification
 * probes have no such row. A call whose charge was refunded later has the status `disputed`.
 */
import { LONGEST_CALL_DAYS } from '../../domain/calls/longest-call';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { type CallCounts, wholeDays } from '../../domain/catalogue/usage';
import { firstInvocationIdSince } from '../../kit/ids/id-time';
import type { Db } from '../db';
import { type Latency, LATENCY_COLUMNS, type LatencyRow, rankColumns, toLatency } from './latencies';

/** Largest assumed difference between the clock of a process that creates ids and that of the database. */
const CLOCK_SLACK_MS = 3_600_000;
const LONGEST_CALL_MS = LONGEST_CALL_DAYS * 86_400_000;

export interface UsageWindow {
  agentId: string;
  /** Inclusive. */
  since: Date;
  /** Exclusive. */
  until: Date;
}

const IN_DAYS = `agent_id = $1 AND day >= $2::date AND day < $3::date`;

/** The calls of the parts of days at the edges of a window, and those that have not ended. */
const PARTS = `parts AS MATERIALIZED (SELECT * FROM usage_parts($1, $4, $5, $6, $7, $8, $9, $10, $11))`;

/** Whether the window begins near the first day of the agent. */
const SPAN = `span AS MATERIALIZED (
  SELECT NOT EXISTS (SELECT FROM agent_day_calls WHERE agent_id = $1 AND day < $2::date - 31) AS is_whole)`;

/**
 * Calls of a window with columns status, error_code, calls, gross_units, fee_units. A window that begins near the first
 * day is the total without the other days, so that usage since the first day costs the same after years.
 */
const SUMS = `(
  SELECT status, error_code, calls, gross_units, fee_units FROM agent_day_calls
   WHERE NOT (SELECT is_whole FROM span) AND ${IN_DAYS}
  UNION ALL
  SELECT status, error_code, calls, gross_units, fee_units FROM agent_total_calls
   WHERE (SELECT is_whole FROM span) AND agent_id = $1 AND $2::date < $3::date
  UNION ALL
  SELECT status, error_code, -calls, -gross_units, -fee_units FROM agent_day_calls
   WHERE (SELECT is_whole FROM span) AND agent_id = $1 AND $2::date < $3::date AND day < $2::date
  UNION ALL
  SELECT status, error_code, -calls, -gross_units, -fee_units FROM agent_day_calls
   WHERE (SELECT is_whole FROM span) AND agent_id = $1 AND $2::date < $3::date AND day >= $3::date
  UNION ALL
  SELECT status, error_code, calls, gross_units, fee_units FROM parts) calls`;

/** The same by day, with the column day. */
const CALLS = `(
  SELECT day, status, error_code, calls, gross_units, fee_units FROM agent_day_calls WHERE ${IN_DAYS}
  UNION ALL
  SELECT day, status, error_code, calls, gross_units, fee_units FROM parts) calls`;

/** Durations of the successes of a window with columns day, bucket, calls. */
const LATENCIES = `(
  SELECT day, bucket, calls FROM agent_day_latencies WHERE ${IN_DAYS}
  UNION ALL
  SELECT day, bucket, calls FROM parts WHERE bucket IS NOT NULL) latencies`;

/**
 * A call that the agent's figures count as an error. A call that a dispute took back has no error code, and one whose
 * input the agent refused has the code `input_refused` here (`counted_code`).
 */
export const IS_AGENT_ERROR = `status IN ('failed', 'disputed') AND coalesce(call_fault(nullif(error_code, '')), 'agent') = 'agent'`;

const BUYERS_CODE = `CASE error_code WHEN 'input_refused' THEN 'agent_error' ELSE error_code END`;
const countOf = (status: string) => `coalesce(sum(calls) FILTER (WHERE status = '${status}'), 0)`;
const COUNTS = `coalesce(sum(calls), 0) AS calls, ${countOf('succeeded')} AS succeeded,
  ${countOf('failed')} AS failed, ${countOf('disputed')} AS disputed,
  coalesce(sum(calls) FILTER (WHERE ${IS_AGENT_ERROR}), 0) AS agent_errors`;

function windowValues({ agentId, since, until }: UsageWindow): unknown[] {
  const { firstDay, endDay, edges } = wholeDays(since, until);
  return [
    agentId,
    firstDay,
    endDay,
    edges.map((edge) => firstInvocationIdSince(edge.since.getTime(), CLOCK_SLACK_MS)),
    edges.map((edge) => firstInvocationIdSince(edge.until.getTime() + CLOCK_SLACK_MS)),
    edges.map((edge) => edge.since),
    edges.map((edge) => edge.until),
    since,
    until,
    ...lowestIds(since, edges),
  ];
}

/**
 * The lowest ids of the calls in the parts of days and of those that have not ended, so that Postgres reads their
 * months only.
 */
function lowestIds(since: Date, edges: readonly { since: Date }[]): [string, string] {
  const open = Math.max(since.getTime(), Date.now() - LONGEST_CALL_MS);
  const first = Math.min(...edges.map((edge) => edge.since.getTime()), open);
  return [firstInvocationIdSince(first, CLOCK_SLACK_MS), firstInvocationIdSince(open, CLOCK_SLACK_MS)];
}

interface CountsRow {
  calls: string;
  succeeded: string;
  failed: string;
  disputed: string;
  agent_errors: string;
}

/** Reads the calls of a window, and their gross charges and fees without refunded ones, in units. */
export async function readUsage(
  db: Db,
  window: UsageWindow,
): Promise<CallCounts & { grossUnits: number; feeUnits: number; refundedUnits: number }> {
  const { rows } = await db.query<
    CountsRow & { gross_units: string; fee_units: string; refunded_units: string }
  >({
    name: 'agent-usage',
    text: `WITH ${PARTS}, ${SPAN} SELECT ${COUNTS}, coalesce(sum(gross_units) FILTER (WHERE status IN ('succeeded', 'failed')), 0) AS gross_units,
                  coalesce(sum(gross_units) FILTER (WHERE status = 'disputed'), 0) AS refunded_units,
                  coalesce(sum(fee_units) FILTER (WHERE status IN ('succeeded', 'failed')), 0) AS fee_units FROM ${SUMS}`,
    values: windowValues(window),
  });
  const row = rows[0];
  if (!row) throw new Error('the aggregate query returned no row');
  return {
    ...toCounts(row),
    grossUnits: unitsFromDatabase(row.gross_units),
    feeUnits: unitsFromDatabase(row.fee_units),
    refundedUnits: unitsFromDatabase(row.refunded_units),
  };
}

export type UsageOfDay = CallCounts &
  Latency & {
    date: string;
    /**
     * What the developer earned: charges of calls, also of milestones of jobs that failed, less fees, in units.
     * Refunded charges are not counted.
     */
    netUnits: number;
  };

/** Reads the usage of each UTC day with calls, in order, and of the whole window. */
export async function readDays(
  db: Db,
  window: UsageWindow,
): Promise<{ days: UsageOfDay[]; total: CallCounts & Latency }> {
  const { rows } = await db.query<CountsRow & LatencyRow & { date: string | null; net_units: string }>({
    name: 'agent-usage-days',
    text: `WITH ${PARTS}, counts AS (
             SELECT day, ${COUNTS}, coalesce(sum(gross_units - fee_units) FILTER (WHERE status IN ('succeeded', 'failed')), 0)
                    AS net_units FROM ${CALLS} GROUP BY GROUPING SETS ((day), ())),
           buckets AS (
             SELECT day, bucket, sum(calls) AS calls FROM ${LATENCIES} GROUP BY GROUPING SETS ((day, bucket), (bucket))),
           ranks AS (
             SELECT day, bucket, ${rankColumns('day,')} FROM buckets),
           latencies AS (
             SELECT day, ${LATENCY_COLUMNS} FROM ranks WHERE so_far > 0 GROUP BY day)
           SELECT c.day::text AS date, c.calls, c.succeeded, c.failed, c.disputed, c.agent_errors, c.net_units, l.*
             FROM counts c LEFT JOIN latencies l ON l.day IS NOT DISTINCT FROM c.day ORDER BY c.day`,
    values: windowValues(window),
  });
  const figures = rows.map((row) => ({
    date: row.date,
    ...toCounts(row),
    ...toLatency(row),
    netUnits: unitsFromDatabase(row.net_units),
  }));
  const total = figures.find((row) => row.date === null);
  if (!total) throw new Error('the query returned no total');
  const { date: _date, ...rest } = total;
  return {
    days: figures.flatMap(({ date, ...day }) => (date === null ? [] : [{ date, ...day }])),
    total: rest,
  };
}

/** Counts failed calls by the error code that their buyers got, the most frequent code first. */
export async function readErrorCodes(
  db: Db,
  window: UsageWindow,
): Promise<{ code: string; calls: number }[]> {
  const { rows } = await db.query<{ code: string; calls: string }>({
    name: 'agent-usage-errors',
    text: `WITH ${PARTS}, ${SPAN} SELECT ${BUYERS_CODE} AS code, sum(calls) AS calls FROM ${SUMS}
            WHERE status = 'failed' AND error_code <> '' GROUP BY 1 HAVING sum(calls) > 0
            ORDER BY calls DESC, code`,
    values: windowValues(window),
  });
  return rows.map((row) => ({ code: row.code, calls: Number(row.calls) }));
}

function toCounts(row: CountsRow): CallCounts {
  return {
    calls: Number(row.calls),
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
    disputed: Number(row.disputed),
    agentErrors: Number(row.agent_errors),
  };
}
