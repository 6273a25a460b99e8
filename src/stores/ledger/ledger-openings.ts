/** The last proven day, the opening balances after it, and what waits (`migrations/0010_ledger_digests.sql`). */
import { unitsFromDatabase } from '../../domain/ledger/money';
import { type Db, onlyRow } from '../db';

export interface ProvenDays {
  /** The last sealed day (`YYYY-MM-DD`), and the last of them that a check has proven; null if there is none. */
  sealed: string | null;
  proven: string | null;
  /** The day after `proven`. */
  next: string | null;
}

export async function readProvenDays(db: Db): Promise<ProvenDays> {
  return onlyRow(
    await db.query<ProvenDays>(`SELECT to_char(s.day, 'YYYY-MM-DD') AS sealed, to_char(p.day, 'YYYY-MM-DD') AS proven,
        to_char(p.day + 1, 'YYYY-MM-DD') AS next
      FROM (SELECT max(day) AS day FROM ledger_digests) s, (SELECT max(day) AS day FROM ledger_proven_days) p`),
  );
}

/** Records a proven day and moves the opening balances to its end. Reads the entries since the day proven before. */
export async function proveDay(db: Db, day: string, isFull: boolean): Promise<void> {
  await db.query('SELECT ledger_prove($1, $2)', [day, isFull]);
}

/** Records that a check ended, with the names of the proofs that failed. */
export async function noteCheck(db: Db, isFull: boolean, failed: readonly string[]): Promise<void> {
  await db.query('INSERT INTO ledger_checks (is_full, failed) VALUES ($1, $2)', [isFull, failed]);
}

/** Money that is on its way. */
export interface Waiting {
  subject: string;
  count: number;
  units: number;
  /** Since when the oldest of it waits; null if nothing does. */
  since: Date | null;
  /** What it waits for, in words; null if the subject says it. */
  reason: string | null;
}

/** Jobs that are listed one by one, the oldest first. */
const MOST_JOBS = 20;

/** The holds of open jobs: the oldest one by one, the others together. */
const JOBS = `
  SELECT 'job ' || o.invocation_id || ' of ' || o.agent_id, 1::bigint, h.amount_units::numeric, o.taken_at,
         CASE job_waits_for(o)
           WHEN 'settlement' THEN 'its agent has called back, and the call is being settled'
           WHEN 'buyer' THEN 'its agent has asked the buyer a question'
           ELSE 'its agent works on it, last reported at ' || iso_time(o.heard_at) || ', and must answer until '
             || iso_time(o.ends_at) END
             || '; the lease of its hold ends at ' || iso_time(h.lease_until)
  FROM (SELECT j.* FROM jobs j WHERE j.ended_at IS NULL ORDER BY j.taken_at, j.invocation_id LIMIT ${MOST_JOBS}) o
  JOIN holds h USING (invocation_id)
  UNION ALL
  SELECT 'further jobs', count(*), sum(h.amount_units), min(o.taken_at), 'their agents work on them'
  FROM (SELECT j.* FROM jobs j WHERE j.ended_at IS NULL ORDER BY j.taken_at, j.invocation_id OFFSET ${MOST_JOBS}) o
  JOIN holds h USING (invocation_id) HAVING count(*) > 0`;

/**
 * Lists the clearing accounts with their balances, and by status what is open: payouts, disputes, slashes, withdrawals
 * from bonds, holds of jobs, and holds past their lease. Each with the age of the oldest.
 */
export async function readWaiting(db: Db): Promise<Waiting[]> {
  const { rows } = await db.query<
    Record<'subject' | 'count' | 'units', string> & Pick<Waiting, 'since' | 'reason'>
  >(`
    SELECT 'account ' || a.account_id || ' (' || a.kind || ')' AS subject, 1 AS count, a.balance_units AS units,
           CASE WHEN a.balance_units <> 0 THEN CASE a.kind
             WHEN 'payout_clearing' THEN (SELECT min(initiated_at) FROM payouts WHERE status IN ('reserving', 'pending', 'processing'))
             ELSE (SELECT e.created_at FROM entries e WHERE e.account_id = a.account_id ORDER BY e.entry_id DESC LIMIT 1)
           END END AS since, NULL AS reason
    FROM account_balances a WHERE a.kind IN ('topup_clearing', 'payout_clearing')
    UNION ALL
    SELECT 'payouts ' || status, count(*), sum(amount_units), min(initiated_at), NULL FROM payouts
    WHERE status IN ('reserving', 'pending', 'processing') GROUP BY status
    UNION ALL
    SELECT 'disputes ' || d.status, count(*), coalesce(sum(e.gross_units), 0), min(d.opened_at), NULL
    FROM disputes d LEFT JOIN all_earnings e USING (invocation_id) WHERE d.status IN ('open', 'contested') GROUP BY d.status
    UNION ALL
    SELECT 'slashes ' || status, count(*), sum(amount_units - returned_units), min(applied_at), NULL FROM slashes
    WHERE status IN ('applied', 'contested') GROUP BY status
    UNION ALL
    SELECT 'withdrawals ' || status, count(*), sum(requested_units), min(requested_at), NULL FROM bond_withdrawals
    WHERE status IN ('noticed', 'waiting') GROUP BY status
    UNION ALL
    SELECT 'holds past their lease', count(*), sum(amount_units), min(lease_until), NULL FROM holds
    WHERE state = 'open' AND lease_until < now() HAVING count(*) > 0
    UNION ALL ${JOBS}`);
  return rows.map((row) => ({ ...row, count: Number(row.count), units: unitsFromDatabase(row.units) }));
}

/** The hold of a job, and what it waits for. */
export interface JobHold {
  invocation_id: string;
  agent_id: string;
  amount_units: number;
  held_at: string;
  ends_at: string;
  waits_for: 'agent' | 'buyer' | 'settlement';
}

/** The oldest holds of open jobs of the buyer $1, as JSON. */
export const JOB_HOLDS = `coalesce((SELECT jsonb_agg(j) FROM (
                    SELECT j.invocation_id, j.agent_id, h.amount_units, h.created_at AS held_at, coalesce((SELECT q.expires_at
                             FROM job_questions q WHERE q.invocation_id = j.invocation_id AND q.is_open), j.ends_at) AS ends_at,
                           job_waits_for(j) AS waits_for
                      FROM jobs j CROSS JOIN LATERAL (
                        SELECT * FROM holds o WHERE o.invocation_id = j.invocation_id OFFSET 0) h
                     WHERE j.buyer_user_id = $1 AND j.ended_at IS NULL ORDER BY j.taken_at LIMIT 100) j), '[]')`;
