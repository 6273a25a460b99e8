/**
 * Usage statistics for the owner of an agent, from the rows of invocations. Verification probes have no such row. A
 * call whose charge was refunded later has the status `disputed`. Each query reads one index range.
 */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { CallCounts } from '../../domain/catalogue/usage';
import { firstInvocationIdSince } from '../../kit/ids/id-time';
import type { Db } from '../db';

/** Largest assumed difference between the clock of a process that creates ids and that of the database. */
const CLOCK_SLACK_MS = 3_600_000;

export interface UsageWindow {
  agentId: string;
  /** Inclusive. */
  since: Date;
  /** Exclusive. */
  until: Date;
}

const WINDOW = `FROM invocations
  WHERE agent_id = $1 AND invocation_id >= $2 AND invocation_id < $3 AND invoked_at >= $4 AND invoked_at < $5`;

const COUNTS = `count(*) AS calls,
  count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
  count(*) FILTER (WHERE status = 'failed') AS failed,
  count(*) FILTER (WHERE status = 'disputed') AS disputed`;

function windowValues({ agentId, since, until }: UsageWindow): unknown[] {
  const first = firstInvocationIdSince(since.getTime(), CLOCK_SLACK_MS);
  const end = firstInvocationIdSince(until.getTime() + CLOCK_SLACK_MS);
  return [agentId, first, end, since, until];
}

interface CountsRow {
  calls: string;
  succeeded: string;
  failed: string;
  disputed: string;
}

/** Reads the calls of a window, and their gross charges and fees without refunded ones, in units. */
export async function readUsage(
  db: Db,
  window: UsageWindow,
): Promise<CallCounts & { grossUnits: number; feeUnits: number }> {
  const { rows } = await db.query<CountsRow & { gross_units: string; fee_units: string }>({
    name: 'agent-usage',
    text: `WITH calls AS (SELECT invocation_id, status, charged_units ${WINDOW})
           SELECT ${COUNTS}, coalesce(sum(charged_units) FILTER (WHERE status = 'succeeded'), 0) AS gross_units,
                  coalesce(sum(fee_units) FILTER (WHERE status = 'succeeded'), 0) AS fee_units
             FROM calls LEFT JOIN earnings USING (invocation_id)`,
    values: windowValues(window),
  });
  const row = rows[0];
  if (!row) throw new Error('the aggregate query returned no row');
  return {
    ...toCounts(row),
    grossUnits: unitsFromDatabase(row.gross_units),
    feeUnits: unitsFromDatabase(row.fee_units),
  };
}

export interface Latency {
  /** Median and 95th percentile of the duration of successes, in milliseconds; null without successes. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export type UsageOfDay = CallCounts & Latency & { date: string };

/** Reads the usage of each UTC day with calls, in order, and of the whole window. */
export async function readDays(
  db: Db,
  window: UsageWindow,
): Promise<{ days: UsageOfDay[]; total: CallCounts & Latency }> {
  const { rows } = await db.query<
    CountsRow & { date: string | null; p50_ms: number | null; p95_ms: number | null }
  >({
    name: 'agent-usage-days',
    text: `WITH calls AS MATERIALIZED (
             SELECT status, (invoked_at AT TIME ZONE 'UTC')::date AS day,
                    CASE WHEN status = 'succeeded' THEN duration_ms END AS duration_ms ${WINDOW})
           SELECT day::text AS date, ${COUNTS},
                  percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50_ms,
                  percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95_ms
             FROM calls GROUP BY GROUPING SETS ((day), ()) ORDER BY day`,
    values: windowValues(window),
  });
  const figures = rows.map((row) => ({
    date: row.date,
    ...toCounts(row),
    p50Ms: row.p50_ms,
    p95Ms: row.p95_ms,
  }));
  const total = figures.find((row) => row.date === null);
  if (!total) throw new Error('the query returned no total');
  const { date: _date, ...rest } = total;
  return {
    days: figures.flatMap(({ date, ...day }) => (date === null ? [] : [{ date, ...day }])),
    total: rest,
  };
}

/** Counts failed calls by error code, the most frequent code first. */
export async function readErrorCodes(
  db: Db,
  window: UsageWindow,
): Promise<{ code: string; calls: number }[]> {
  const { rows } = await db.query<{ code: string; calls: string }>({
    name: 'agent-usage-errors',
    text: `SELECT error_code AS code, count(*) AS calls ${WINDOW} AND status = 'failed' AND error_code IS NOT NULL
            GROUP BY error_code ORDER BY calls DESC, code`,
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
  };
}
