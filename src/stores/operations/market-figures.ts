/**
 * Figures of the whole marketplace (`migrations/0051_market_figures.sql`): what ended in the last hour, and the calls
 * of the last 30 UTC days. They are read from roll-ups, so that they cost the same after any number of calls.
 */
import { unitsFromDatabase } from '../../domain/ledger/money';
import { lowestIdAt } from '../../kit/ids/ids';
import {
  type Latency,
  LATENCY_COLUMNS,
  type LatencyRow,
  NO_LATENCY,
  rankColumns,
  toLatency,
} from '../catalogue/latencies';
import { IS_AGENT_ERROR } from '../catalogue/usage';
import { onlyRow, type Db } from '../db';

const HOUR_MS = 3_600_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
/** New accounts are counted up to here. */
const MOST_ACCOUNTS = 10_000;

export interface MarketSums {
  calls: number;
  failed: number;
  /** Failures that count against agents, and charges that disputes took back. */
  agentErrors: number;
  p95Ms: Latency['p95Ms'];
  jobs: Latency['jobs'];
  /** What calls were charged, also those whose charge was given back since. */
  grossUnits: number;
  feeUnits: number;
  refundedUnits: number;
}

/** A minute or a UTC day. */
export interface MarketPart {
  at: string;
  calls: number;
  failed: number;
  grossUnits: number;
}

export interface MarketFigures {
  sums: MarketSums;
  parts: MarketPart[];
  /** At most 10,000. */
  newAccounts: number;
}

interface Row {
  at: string | null;
  calls: string;
  failed: string;
  agent_errors: string;
  gross: string;
  fees: string;
  refunded: string;
  latency: LatencyRow | null;
}

/** Sums of a table by its time, and of all of it (null). */
const sumsOf = (table: string, time: string, since: string) => `
  WITH rows AS MATERIALIZED (SELECT * FROM ${table} WHERE ${since}),
  ranks AS (
    SELECT bucket, ${rankColumns('')}
      FROM (SELECT bucket, sum(calls) AS calls FROM rows WHERE bucket >= 0 AND status = 'succeeded' GROUP BY bucket) b),
  latencies AS (SELECT ${LATENCY_COLUMNS} FROM ranks WHERE so_far > 0)
  SELECT ${time} AS at, coalesce(sum(calls), 0) AS calls,
         coalesce(sum(calls) FILTER (WHERE status = 'failed'), 0) AS failed,
         coalesce(sum(calls) FILTER (WHERE ${IS_AGENT_ERROR}), 0) AS agent_errors,
         coalesce(sum(gross_units), 0) AS gross,
         coalesce(sum(fee_units) FILTER (WHERE status IN ('succeeded', 'failed')), 0) AS fees,
         coalesce(sum(gross_units) FILTER (WHERE status = 'disputed'), 0) AS refunded,
         (SELECT to_jsonb(l) FROM latencies l) AS latency
    FROM rows GROUP BY GROUPING SETS ((${time}), ()) ORDER BY 1`;

const HOUR = sumsOf(
  'market_minutes',
  `to_char(minute AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
  `minute > now() - interval '1 hour'`,
);
const MONTH = sumsOf('market_days', 'day::text', `day > (now() AT TIME ZONE 'UTC')::date - ${DAYS}`);

/** Reads the figures of the last hour, by minute. */
export const readLastHour = (db: Db, now: number) => read(db, HOUR, now - HOUR_MS);

/** Reads the figures of the last 30 UTC days, by day. */
export const readLastMonth = (db: Db, now: number) => read(db, MONTH, now - DAYS * DAY_MS);

async function read(db: Db, sums: string, since: number): Promise<MarketFigures> {
  const { rows } = await db.query<Row>(sums);
  const total = rows.find((row) => row.at === null);
  const latency = total?.latency ? toLatency(total.latency) : NO_LATENCY;
  return {
    sums: {
      calls: Number(total?.calls ?? 0),
      failed: Number(total?.failed ?? 0),
      agentErrors: Number(total?.agent_errors ?? 0),
      p95Ms: latency.p95Ms,
      jobs: latency.jobs,
      grossUnits: unitsFromDatabase(total?.gross ?? 0),
      feeUnits: unitsFromDatabase(total?.fees ?? 0),
      refundedUnits: unitsFromDatabase(total?.refunded ?? 0),
    },
    parts: rows.flatMap(({ at, calls, failed, gross }) =>
      at === null
        ? []
        : [{ at, calls: Number(calls), failed: Number(failed), grossUnits: unitsFromDatabase(gross) }],
    ),
    newAccounts: await countAccountsSince(db, since),
  };
}

/** Counts accounts that were made since a time, up to 10,000. Their ids begin with the time. */
async function countAccountsSince(db: Db, since: number): Promise<number> {
  const result = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (SELECT FROM users WHERE user_id >= $1 LIMIT ${MOST_ACCOUNTS}) u`,
    [lowestIdAt('usr', since)],
  );
  return onlyRow(result).n;
}
