/**
 * Percentiles of durations from buckets of `usage_bucket`. Jobs stand apart from other calls (ADR 0316): they have the
 * buckets from 1000 on.
 */
const IS_JOB = 'bucket >= 1000';

export interface Latency {
  /**
   * Median and 95th percentile of the duration of successes that were no jobs, in milliseconds; null without such
   * successes.
   */
  p50Ms: number | null;
  p95Ms: number | null;
  /** The same of jobs, from the acceptance of the call on, and how many succeeded. */
  jobs: { count: number; p50Ms: number | null; p95Ms: number | null };
}

/** Without any success. */
export const NO_LATENCY: Latency = {
  p50Ms: null,
  p95Ms: null,
  jobs: { count: 0, p50Ms: null, p95Ms: null },
};

/**
 * The columns `so_far` and `total` of rows with `bucket` and `calls`: calls up to this bucket, and all of its kind.
 * `partition`: a column by which they are counted apart, with a comma; empty for none.
 */
export const rankColumns = (partition: string) => `
  sum(calls) OVER (PARTITION BY ${partition} ${IS_JOB} ORDER BY bucket) AS so_far,
  sum(calls) OVER (PARTITION BY ${partition} ${IS_JOB}) AS total`;

/** The columns of `LatencyRow`, from rows with `bucket` and the columns of `rankColumns`. */
export const LATENCY_COLUMNS = `
  duration_of(min(bucket) FILTER (WHERE NOT ${IS_JOB} AND so_far >= total * 0.5)) AS p50_ms,
  duration_of(min(bucket) FILTER (WHERE NOT ${IS_JOB} AND so_far >= total * 0.95)) AS p95_ms,
  coalesce(max(total) FILTER (WHERE ${IS_JOB}), 0) AS jobs,
  duration_of(min(bucket) FILTER (WHERE ${IS_JOB} AND so_far >= total * 0.5)) AS job_p50_ms,
  duration_of(min(bucket) FILTER (WHERE ${IS_JOB} AND so_far >= total * 0.95)) AS job_p95_ms`;

export interface LatencyRow {
  p50_ms: number | null;
  p95_ms: number | null;
  /** A count; null in a row that was joined to no latencies. */
  jobs: string | number | null;
  job_p50_ms: number | null;
  job_p95_ms: number | null;
}

export function toLatency(row: LatencyRow): Latency {
  return {
    p50Ms: row.p50_ms,
    p95Ms: row.p95_ms,
    jobs: { count: Number(row.jobs ?? 0), p50Ms: row.job_p50_ms, p95Ms: row.job_p95_ms },
  };
}
