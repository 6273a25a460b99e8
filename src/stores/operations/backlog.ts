/** The backlog of the service, for its operators. Each number is read from an index over open items. */
import { type Db, onlyRow } from '../db';

/** A waiting list is counted up to here. */
const MOST_WAITING = 10_000;

export interface Waiting {
  /** At most 10,000. */
  count: number;
  /** Age of the oldest item in seconds; 0 if there is none. */
  oldestSeconds: number;
}

export interface Backlog {
  /** By status (`pending`, `running`) and surface. */
  calls: { status: string; surface: string; count: number }[];
  /** Open holds with an expired lease. */
  holdsOverdue: number;
  /** Webhook and push deliveries that are not started. */
  deliveries: Waiting;
  /** Versions whose verification waits or runs. */
  versions: Waiting;
  /** By status: `pending`, `processing`. */
  payouts: { status: string; count: number }[];
  /** Undecided disputes (`open`, `contested`) and slashes (`applied`, `contested`). */
  cases: { kind: 'dispute' | 'slash'; status: string; count: number }[];
  paymentsQuarantined: number;
  /** Months after this one that have partitions (−1: this month has none), and tables with rows in the default one. */
  partitions: { ahead: number; strays: number };
}

const groups = (columns: string, from: string, by: string) =>
  `coalesce((SELECT jsonb_agg(g) FROM (SELECT ${columns}, count(*) AS count FROM ${from} GROUP BY ${by}) g), '[]')`;
/** Counts up to `MOST_WAITING`, so that a long queue costs no more to look at than a short one. */
const waiting = (since: string, from: string) =>
  `(SELECT jsonb_build_object('count', (SELECT count(*) FROM (SELECT FROM ${from} LIMIT ${MOST_WAITING}) c),
      'oldestSeconds', coalesce(extract(epoch FROM now() - (SELECT min(${since}) FROM ${from})), 0)))`;

/** The row of each open call, found by its id. */
const OPEN_CALLS = `open_calls o JOIN LATERAL (
  SELECT i.status, i.surface FROM invocations i WHERE i.invocation_id = o.invocation_id OFFSET 0) i ON true`;

const BACKLOG = `
  SELECT ${groups('status, surface', OPEN_CALLS, 'status, surface')} AS calls,
    (SELECT count(*)::int FROM holds WHERE state = 'open' AND lease_until < now()) AS "holdsOverdue",
    ${waiting('created_at', "webhook_deliveries WHERE started_at IS NULL AND state = 'pending'")} AS deliveries,
    ${waiting('submitted_at', "agent_versions WHERE state IN ('submitted', 'verifying')")} AS versions,
    ${groups('status', "payouts WHERE status IN ('reserving', 'pending', 'processing')", 'status')} AS payouts,
    ${groups("'dispute' AS kind, status", "disputes WHERE status IN ('open', 'contested')", 'status')}
      || ${groups("'slash' AS kind, status", "slashes WHERE status IN ('applied', 'contested')", 'status')} AS cases,
    (SELECT count(*)::int FROM payments WHERE state = 'quarantined') AS "paymentsQuarantined",
    (SELECT to_jsonb(p) FROM partition_status() p) AS partitions`;

export async function readBacklog(db: Db): Promise<Backlog> {
  return onlyRow(await db.query<Backlog>(BACKLOG));
}
