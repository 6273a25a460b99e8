/**
 * The figures of listings, which count paid calls of unrelated buyers (`migrations/0186_counted_buyers.sql`),
 * and the roll-up of usage (`migrations/0016_usage.sql`).
 */
import { withTransaction, type Db, type DbPool } from '../db';
import { LEAST_BUYERS } from '../../domain/catalogue/usage';
import {
  LATENCY_COLUMNS,
  type Latency,
  type LatencyRow,
  NO_LATENCY,
  rankColumns,
  toLatency,
} from './latencies';

/** Days whose calls the figures count: today and the days before it. */
const WINDOW_DAYS = 30;
/** Buyers above this number are not counted. */
const MOST_BUYERS = 1_000;

/** Adds up to `most` waiting changes of usage, and disputes, to the days of their agents. Returns how many changes. */
export async function rollUpUsage(db: Db, most: number): Promise<number> {
  await db.query('SELECT buyer_days_dispute($1)', [most]);
  const { rows } = await db.query<{ rolled: string }>('SELECT usage_roll_up($1) AS rolled', [most]);
  return Number(rows[0]?.rolled ?? 0);
}

/** Counts the days of up to `most` accounts whose relations changed as these are now. Returns how many accounts. */
export async function followRelations(db: Db, most: number): Promise<number> {
  const { rows } = await db.query<{ looked: number }>('SELECT owner_changes_apply($1) AS looked', [most]);
  return rows[0]?.looked ?? 0;
}

/** Lists agents whose figures are due, longest due first, without those in `aside`. */
export async function listDueStats(db: Db, limit: number, aside: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ agent_id: string }>(
    `SELECT agent_id FROM agent_stats WHERE due_at <= now() AND agent_id <> ALL ($2) ORDER BY due_at LIMIT $1`,
    [limit, aside],
  );
  return rows.map((row) => row.agent_id);
}

/**
 * Computes figures of agents over the last 30 UTC days, from paid calls of unrelated buyers alone: how many there are
 * (docs/explanation/figures.md), the mean share of successes in which each buyer of a day has the same weight, and the
 * durations of the first success of each buyer in a day, jobs apart. Below ten buyers shares and durations are null.
 * Rows that another process computes are left out. Returns how many were computed.
 */
export async function refreshStats(pool: DbPool, agentIds: readonly string[]): Promise<number> {
  return withTransaction(pool, async (tx) => {
    const locked = await tx.query<{ agent_id: string }>(
      `SELECT agent_id FROM agent_stats WHERE agent_id = ANY ($1) ORDER BY agent_id FOR NO KEY UPDATE SKIP LOCKED`,
      [agentIds],
    );
    const result = await tx.query(REFRESH, [locked.rows.map((row) => row.agent_id), WINDOW_DAYS]);
    return result.rowCount ?? 0;
  });
}

const REFRESH = `
  UPDATE agent_stats s SET invocations_30d = coalesce(f.calls, 0), buyer_days_30d = coalesce(f.buyers, 0), buyers_30d = n.buyers,
    success_rate = CASE WHEN n.buyers >= ${LEAST_BUYERS} THEN round(f.shares / nullif(f.buyers, 0), 4) END,
    p50_ms = CASE WHEN n.buyers >= ${LEAST_BUYERS} THEN l.p50_ms END, p95_ms = CASE WHEN n.buyers >= ${LEAST_BUYERS} THEN l.p95_ms END,
    jobs_30d = l.jobs, job_p50_ms = CASE WHEN n.buyers >= ${LEAST_BUYERS} THEN l.job_p50_ms END,
    job_p95_ms = CASE WHEN n.buyers >= ${LEAST_BUYERS} THEN l.job_p95_ms END,
    due_at = date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day'
  FROM unnest($1::text[]) u(agent_id) CROSS JOIN LATERAL (
    SELECT sum(b.calls) AS calls, sum(b.buyers) AS buyers, sum(b.shares) AS shares
    FROM buyer_day_sums b
    WHERE b.agent_id = u.agent_id AND b.day > (now() AT TIME ZONE 'UTC')::date - $2::integer) f
  CROSS JOIN LATERAL (
    SELECT count(*) AS buyers FROM (SELECT FROM counted_buyers c
      WHERE c.agent_id = u.agent_id AND c.last_day > (now() AT TIME ZONE 'UTC')::date - $2::integer LIMIT ${MOST_BUYERS}) c) n
  CROSS JOIN LATERAL (
    SELECT ${LATENCY_COLUMNS} FROM (
      SELECT d.bucket, ${rankColumns('')} FROM (
        SELECT l.bucket, sum(l.calls) AS calls FROM counted_durations l
        WHERE l.agent_id = u.agent_id AND l.day > (now() AT TIME ZONE 'UTC')::date - $2::integer
        GROUP BY l.bucket) d) ranks WHERE so_far > 0) l
  WHERE s.agent_id = u.agent_id`;

/** Paid calls of unrelated buyers in a UTC day, as listings show them. */
export interface ListingDay extends Latency {
  date: string;
  calls: number;
  /** Null without buyers, and while the agent has had few of them in 30 days; so are the durations. */
  successRate: number | null;
}

/** Reads the days with paid calls from `since` (inclusive) to `until` (exclusive). */
export async function readListingDays(
  db: Db,
  { agentId, since, until }: { agentId: string; since: Date; until: Date },
): Promise<ListingDay[]> {
  const { rows } = await db.query<
    LatencyRow & { date: string; calls: string; success_rate: string | null; few: boolean }
  >(DAYS, [agentId, since, until]);
  return rows.map(({ date, calls, success_rate, few, ...latency }) => {
    const { jobs, ...rest } = toLatency(latency);
    return {
      date,
      calls: Number(calls),
      successRate: few || success_rate === null ? null : Number(success_rate),
      ...(few ? { ...NO_LATENCY, jobs: { ...NO_LATENCY.jobs, count: jobs.count } } : { ...rest, jobs }),
    };
  });
}

const DAYS = `
  SELECT b.day::text AS date, b.calls, round(b.shares / nullif(b.buyers, 0), 4) AS success_rate, l.*,
         coalesce(s.buyers_30d, 0) < ${LEAST_BUYERS} AS few
    FROM buyer_day_sums b LEFT JOIN agent_stats s USING (agent_id)
    CROSS JOIN LATERAL (SELECT ${LATENCY_COLUMNS} FROM (
      SELECT d.bucket, ${rankColumns('')} FROM counted_durations d WHERE d.agent_id = b.agent_id AND d.day = b.day) ranks
      WHERE so_far > 0) l
   WHERE b.agent_id = $1 AND b.day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
     AND b.day < ($3::timestamptz AT TIME ZONE 'UTC')::date ORDER BY b.day`;
