/**
 * The part of the ledger that a check reads. A proof names tables; a window puts a `WITH` in front of it, in which
 * these names mean a part of the tables, so that each proof has one text. Without a window it reads all of them, with
 * the months that were detached.
 */
import { MONEY_TABLES } from '../months';
import type { LedgerProof } from './ledger-proof';

export interface LedgerWindow {
  /** First day (UTC, `YYYY-MM-DD`) that is read; the balances before it are in account_openings. */
  firstDay: string;
}

/** Calls are read from so many days before the window on: a call moves money for as long as it runs. */
const CALL_DAYS = 2;
/** Jobs run longer. Those that began earlier, and are open or ended within the window, are read one by one. */
const lateJobs = (since: string, day: string) => `late_jobs AS MATERIALIZED (
  SELECT j.invocation_id FROM public.jobs j WHERE j.invocation_id < ${since}
    AND (j.ended_at IS NULL OR j.ended_at >= '${day}'::date - ${CALL_DAYS}))`;
const LATE_TRANSACTIONS = `late_transactions AS MATERIALIZED (
  SELECT s.transaction_id FROM late_jobs l CROSS JOIN LATERAL ledger_step_transactions(l.invocation_id) s
  UNION
  SELECT r.transaction_id FROM late_jobs l
    JOIN transaction_references r ON r.reference = 'invocation/' || l.invocation_id || '/clawback')`;
/** Rows of a table by their keys, each found by its index. */
const byKeys = (table: string, key: string, of: string) => `
  SELECT x.* FROM ${of} l CROSS JOIN LATERAL (SELECT * FROM public.${table} t WHERE t.${key} = l.${key} OFFSET 0) x`;
/** Payouts and top-ups are read from so many days before the window on: banks take days. */
const BANK_DAYS = 60;

const bound = (prefix: string, day: string, daysBefore: number) =>
  `partition_bound('${prefix}', '${day}'::date - ${daysBefore})`;
const part = (table: string, where: string, from = table) =>
  `${table} AS NOT MATERIALIZED (SELECT * FROM public.${from} WHERE ${where})`;

/** The tables of calls, by the ids of calls; their transactions cannot be older than the call. */
function ofCalls(day: string): string[] {
  const since = bound('inv', day, CALL_DAYS);
  const posted = bound('txn', day, CALL_DAYS);
  const or = (cte: string, more: string) => `${cte.slice(0, -1)} UNION ALL ${more})`;
  return [
    lateJobs(since, day),
    LATE_TRANSACTIONS,
    ...['invocations', 'holds', 'earnings', 'disputes'].map((table) =>
      or(part(table, `invocation_id >= ${since}`), byKeys(table, 'invocation_id', 'late_jobs')),
    ),
    or(
      part(
        'transactions',
        `transaction_id >= ${posted} AND (invocation_id IS NULL OR invocation_id >= ${since})`,
      ),
      byKeys('transactions', 'transaction_id', 'late_transactions'),
    ),
    or(
      part('entries', `transaction_id >= ${posted}`),
      `SELECT e.* FROM late_transactions l CROSS JOIN LATERAL ledger_lines(l.transaction_id) e
         WHERE l.transaction_id < ${posted}`,
    ),
  ];
}

/** The transactions with a reference of this kind, by the index of references. */
function ofReferences(
  kind: string,
  prefix: string,
  day: string,
  tables: [table: string, key: string][],
): string[] {
  const since = bound(prefix, day, BANK_DAYS);
  return [
    ...tables.map(([table, key]) => part(table, `${key} >= ${since}`)),
    `transactions AS NOT MATERIALIZED (SELECT t.* FROM transaction_references r
       JOIN all_transactions t USING (transaction_id)
       WHERE r.reference >= '${kind}/' || ${since} AND r.reference < '${kind}0')`,
  ];
}

function tablesOf(proof: LedgerProof, day: string): string[] {
  switch (proof.window ?? 'all') {
    case 'moves': {
      const where = `transaction_id >= ${bound('txn', day, 0)}`;
      return [part('transactions', where), part('entries', where)];
    }
    case 'calls':
      return ofCalls(day);
    case 'open':
      return [part('holds', `state = 'open'`)];
    case 'payouts':
      return ofReferences('payout', 'pay', day, [['payouts', 'payout_id']]);
    case 'top-ups':
      return ofReferences('topup', 'top', day, [
        ['topups', 'topup_id'],
        ['invoices', 'topup_id'],
      ]);
    case 'x402':
      return ofReferences('x402', 'xpm', day, [['x402_payments', 'payment_id']]);
    case 'x402-refunds':
      return ofReferences('x402refund', 'xrf', day, [['x402_refunds', 'refund_id']]);
    // A debt may be paid years later, so all reversals are read; there are few of them.
    case 'reversals':
      return [
        `transactions AS NOT MATERIALIZED (SELECT t.* FROM transaction_references r
           JOIN all_transactions t USING (transaction_id)
           WHERE r.reference >= 'reversal/' AND r.reference < 'reversal0')`,
      ];
    case 'all':
      return [];
  }
}

/** Tables that a window does not limit include the detached months. */
function withDetached(tables: readonly string[]): string[] {
  const whole = MONEY_TABLES.filter((name) => !tables.some((cte) => cte.startsWith(`${name} AS `)));
  return [...tables, ...whole.map((name) => part(name, 'true', `all_${name}`))];
}

/** Returns the `WITH` for a proof: `scope` (the first day) and `openings` (balances before it) exist in every case. */
export function windowOf(proof: LedgerProof, window?: LedgerWindow): string {
  const day = window ? `'${window.firstDay}'::date` : `'-infinity'::date`;
  const openings = window ? 'true' : 'false';
  return `WITH scope AS NOT MATERIALIZED (SELECT ${day} AS first_day),
    openings AS NOT MATERIALIZED (SELECT account_id, units, entries FROM account_openings WHERE ${openings})
    ${(window ? withDetached(tablesOf(proof, window.firstDay)) : withDetached([])).map((cte) => `, ${cte}`).join('')}`;
}
