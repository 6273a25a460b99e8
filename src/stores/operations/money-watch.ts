/** Ages of everything that money hangs on, for its operators: each figure is read from an index over open items. */
import { type Db, onlyRow } from '../db';

/** A Monday's run counts as late so long after its hour. */
const MONDAY_GRACE = "interval '15 minutes'";

export interface MoneyWatch {
  /**
   * Both clearing accounts: what is on its way, in units, and how long the oldest of it waits; 0 if there is nothing.
   */
  clearing: { account: 'topup_clearing' | 'payout_clearing'; units: number; oldestSeconds: number }[];
  /** Seconds since the oldest Monday whose run has not ended, or did not begin; 0 if there is none. */
  mondayLateSeconds: number;
  /** Seconds since the end of the oldest day that should be sealed; 0 if there is none. */
  unsealedSeconds: number;
  /** The last ledger check: seconds since its end, the number of proofs that failed; null if none was recorded. */
  check: { ageSeconds: number; failed: number } | null;
  /** Seconds since the newest exchange rate was observed; null if there is no rate. */
  rateAgeSeconds: number | null;
}

const CLEARING = `
  SELECT a.kind AS account, a.balance_units AS units, coalesce(extract(epoch FROM now() - CASE
    WHEN a.balance_units = 0 THEN now()
    WHEN a.kind = 'payout_clearing' THEN
      (SELECT min(p.initiated_at) FROM payouts p WHERE p.status IN ('reserving', 'pending', 'processing'))
    ELSE (SELECT e.created_at FROM entries e WHERE e.account_id = a.account_id ORDER BY e.entry_id DESC LIMIT 1)
  END), 0) AS "oldestSeconds"
  FROM account_balances a WHERE a.account_id IN (2, 3)`;

/** Mondays of the last eight weeks, after the first account, without an ended run of all developers. */
const MONDAY = `
  SELECT coalesce(extract(epoch FROM now() - min(m.monday)), 0)
  FROM (SELECT created_at FROM users ORDER BY user_id LIMIT 1) u
  CROSS JOIN LATERAL (SELECT date_trunc('week', now() - ${MONDAY_GRACE}, 'UTC') AS last) l
  CROSS JOIN LATERAL generate_series(l.last - interval '49 days', l.last, interval '7 days') m(monday)
  WHERE m.monday > u.created_at
    AND NOT EXISTS (SELECT FROM payout_runs r WHERE r.as_of = m.monday AND r.attempt = 0 AND r.ended_at IS NOT NULL)`;

const WATCH = `
  SELECT (SELECT jsonb_agg(c) FROM (${CLEARING}) c) AS clearing,
    (${MONDAY})::float AS "mondayLateSeconds",
    coalesce((SELECT extract(epoch FROM now() - (d.day + 1)::timestamp AT TIME ZONE 'UTC')
              FROM (SELECT least(digest_next_day(now()), (SELECT CASE WHEN p.day IS NULL THEN s.day WHEN p.day < s.day THEN p.day + 1 END
                FROM (SELECT max(day) AS day FROM ledger_digests) s, (SELECT max(day) AS day FROM market_log_days) p)) AS day) d),
      0)::float AS "unsealedSeconds",
    (SELECT jsonb_build_object('ageSeconds', extract(epoch FROM now() - l.checked_at), 'failed', cardinality(l.failed))
       FROM ledger_checks l ORDER BY l.checked_at DESC LIMIT 1) AS "check",
    (SELECT extract(epoch FROM now() - max(observed_at))::float FROM fx_rates WHERE base = 'USD' AND quote = 'INR')
      AS "rateAgeSeconds"`;

export async function readMoneyWatch(db: Db): Promise<MoneyWatch> {
  return onlyRow(await db.query<MoneyWatch>(WATCH));
}
