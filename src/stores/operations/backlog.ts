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

/** Open items with one status. */
export interface Group {
  status: string;
  count: number;
  /** Age of the oldest item in seconds, since it got this status. */
  oldestSeconds: number;
}

export interface Backlog {
  /** By status (`pending`, `running`) and surface. */
  calls: { status: string; surface: string; count: number }[];
  /** Open holds with an expired lease, and how long ago the first of these leases expired. */
  holds: { overdue: number; overdueSeconds: number };
  /** Webhook and push deliveries that are not started. */
  deliveries: Waiting;
  /** Versions whose verification waits or runs. */
  versions: Waiting;
  /** Changed lists of tools at proven hosts whose verification waits or runs. */
  toolLists: Waiting;
  /** By status: `reserving`, `pending`, `processing`. */
  payouts: Group[];
  /** Undecided disputes (`open`, `contested`) and slashes (`applied`, `contested`). */
  cases: (Group & { kind: 'dispute' | 'slash' })[];
  quarantine: Waiting;
  /** Automatic top-ups whose end the payment provider has not reported. */
  autoTopups: Waiting;
  mails: Waiting;
  /** Payments by x402 whose authorization has ended and whose end the chain has not shown yet. */
  x402: Waiting;
  /** Credits on their way back to paying addresses. */
  x402Refunds: Waiting;
  /** Deletions of accounts whose erasure has begun. */
  erasures: Waiting;
  /** Confirmed deletions of accounts that something blocks. */
  blockedDeletions: Waiting;
  /** Exports of accounts that are not written. */
  exports: Waiting;
  /** Exports that failed within the last day. */
  failedExports: number;
  /** Months after this one that have partitions (−1: this month has none), and tables with rows in the default one. */
  partitions: { ahead: number; strays: number };
}

const groups = (columns: string, from: string, by: string) =>
  `coalesce((SELECT jsonb_agg(g) FROM (SELECT ${columns}, count(*) AS count FROM ${from} GROUP BY ${by}) g), '[]')`;
const ageOf = (since: string) => `coalesce(extract(epoch FROM now() - min(${since})), 0)`;
const aged = (columns: string, since: string, from: string) =>
  groups(`${columns}, ${ageOf(since)} AS "oldestSeconds"`, from, 'status');
/** Counts up to `MOST_WAITING`, so that a long queue costs no more to look at than a short one. */
const waiting = (since: string, from: string) =>
  `(SELECT jsonb_build_object('count', (SELECT count(*) FROM (SELECT FROM ${from} LIMIT ${MOST_WAITING}) c),
      'oldestSeconds', coalesce(extract(epoch FROM now() - (SELECT min(${since}) FROM ${from})), 0)))`;

/** The row of each open call, found by its id. */
const OPEN_CALLS = `open_calls o JOIN LATERAL (
  SELECT i.status, i.surface FROM invocations i WHERE i.invocation_id = o.invocation_id OFFSET 0) i ON true`;

const DUE_MAILS = `(${['mails', 'security_mails', 'notice_mails']
  .map((table) => `SELECT due_at FROM ${table} WHERE due_at <= now()`)
  .join(' UNION ALL ')}) m`;

/** A host without a proof is not asked, so its list waits for its owner. */
const CHANGED_TOOLS = `tool_lists l WHERE l.state = 'candidate'
  AND EXISTS (SELECT FROM endpoint_proofs p WHERE p.agent_id = l.agent_id)`;

const BACKLOG = `
  SELECT ${groups('status, surface', OPEN_CALLS, 'status, surface')} AS calls,
    (SELECT jsonb_build_object('overdue', count(*), 'overdueSeconds', ${ageOf('lease_until')})
       FROM holds WHERE state = 'open' AND lease_until < now()) AS holds,
    ${waiting('created_at', "webhook_deliveries WHERE started_at IS NULL AND state = 'pending'")} AS deliveries,
    ${waiting('submitted_at', "agent_versions WHERE state IN ('submitted', 'verifying')")} AS versions,
    ${waiting('seen_at', CHANGED_TOOLS)} AS "toolLists",
    ${aged('status', 'initiated_at', "payouts WHERE status IN ('reserving', 'pending', 'processing')")} AS payouts,
    ${aged("'dispute' AS kind, status", 'coalesce(responded_at, opened_at)', "disputes WHERE status IN ('open', 'contested')")}
      || ${aged("'slash' AS kind, status", 'coalesce(countered_at, applied_at)', "slashes WHERE status IN ('applied', 'contested')")} AS cases,
    ${waiting('received_at', "payments WHERE state = 'quarantined'")} AS quarantine,
    ${waiting('created_at', "topups WHERE automatic AND status = 'pending'")} AS "autoTopups",
    ${waiting('due_at', DUE_MAILS)} AS mails,
    ${waiting('valid_before', 'x402_payments WHERE ended_at IS NULL AND valid_before < now()')} AS x402,
    ${waiting('created_at', 'x402_refunds WHERE ended_at IS NULL')} AS "x402Refunds",
    ${waiting('erasing_at', "account_deletions WHERE state = 'erasing'")} AS erasures,
    ${waiting('confirmed_at', "account_deletions WHERE state = 'confirmed' AND blocked_by <> '{}'")} AS "blockedDeletions",
    ${waiting('requested_at', "account_exports WHERE state IN ('waiting', 'running')")} AS exports,
    (SELECT count(*)::int FROM account_exports WHERE state = 'failed' AND ended_at > now() - interval '1 day') AS "failedExports",
    (SELECT to_jsonb(p) FROM partition_status() p) AS partitions`;

export async function readBacklog(db: Db): Promise<Backlog> {
  return onlyRow(await db.query<Backlog>(BACKLOG));
}
