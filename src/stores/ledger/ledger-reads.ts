import type { EntryType, UserAccountKind } from '../../domain/ledger/ledger';
import { LONGEST_CALL_DAYS } from '../../domain/calls/longest-call';
import { MOST_DISPUTE_DAYS } from '../../domain/disputes/dispute-case';
import { MOST_COUNTED, MOST_SCANNED } from '../../domain/list-total';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';
import { type JobHold, JOB_HOLDS } from './ledger-openings';
import { countRows } from '../list-total';

/** Read models of the ledger: balances, and lists of entries. Every statement reads one snapshot. */
export interface WalletBalance {
  availableUnits: number;
  escrowUnits: number;
  updatedAt: Date;
  /** The oldest holds of open jobs, at most a hundred. */
  jobs: JobHold[];
}

export async function readWalletBalance(db: Db, userId: string): Promise<WalletBalance> {
  const result = await db.query<{ available: string; escrow: string; updated_at: Date; jobs: JobHold[] }>({
    name: 'wallet-balance',
    text: `SELECT w.balance_units AS available, e.balance_units AS escrow,
                  greatest(w.updated_at, e.updated_at) AS updated_at, ${JOB_HOLDS} AS jobs
           FROM accounts w JOIN accounts e ON e.user_id = w.user_id AND e.kind = 'escrow'
           WHERE w.user_id = $1 AND w.kind = 'wallet'`,
    values: [userId],
  });
  const row = onlyRow(result);
  return {
    availableUnits: unitsFromDatabase(row.available),
    escrowUnits: unitsFromDatabase(row.escrow),
    updatedAt: row.updated_at,
    jobs: row.jobs,
  };
}

/** What each account of a user holds, in units. */
export async function readBalances(db: Db, userId: string): Promise<Record<UserAccountKind, number>> {
  const { rows } = await db.query<{ kind: UserAccountKind; units: string }>(
    'SELECT kind, balance_units AS units FROM account_balances WHERE user_id = $1',
    [userId],
  );
  const none = { wallet: 0, escrow: 0, payable: 0, bond: 0, slash_hold: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ kind, units }) => [kind, unitsFromDatabase(units)])) };
}

export interface DeveloperBalance {
  walletUnits: number;
  /** Earned and not yet in a payout: the payable account, including pending roll-ups. */
  pendingPayoutUnits: number;
  /** The part of it that is past its dispute window and in no open dispute at `asOf`. */
  maturedUnits: number;
  bondUnits: number;
  /**
   * Net of all charges that were not clawed back. Matured and earned units are read from sums
   * (docs/internals/statements.md#sums-by-day).
   */
  lifetimeEarnedUnits: number;
  /** False until the first payout has arrived. */
  wasPaid: boolean;
  updatedAt: Date;
}

/**
 * Lots that may mature on the day of $2 or later: a lot is younger than the longest dispute window. So the months
 * before are not read.
 */
const SINCE_WINDOW = `e.invocation_id >= partition_bound('inv', ($2::timestamptz AT TIME ZONE 'UTC')::date - ${MOST_DISPUTE_DAYS + LONGEST_CALL_DAYS})`;

export async function readDeveloperBalance(db: Db, userId: string, asOf: Date): Promise<DeveloperBalance> {
  const result = await db.query<
    Record<'wallet' | 'payable' | 'bond' | 'matured' | 'earned', string> & {
      was_paid: boolean;
      updated_at: Date;
    }
  >({
    name: 'developer-balance',
    text: `SELECT a.*, m.*, l.*, greatest(a.moved_at, l.earned_at) AS updated_at,
                  EXISTS (SELECT FROM payouts p WHERE p.developer_user_id = $1 AND p.status = 'paid') AS was_paid
           FROM (SELECT sum(balance_units) FILTER (WHERE kind = 'wallet') AS wallet,
                        sum(balance_units) FILTER (WHERE kind = 'payable') AS payable,
                        sum(balance_units) FILTER (WHERE kind = 'bond') AS bond,
                        max(updated_at) AS moved_at
                 FROM account_balances WHERE user_id = $1) a,
                (SELECT t.open_units - t.disputed_units - later.units
                          + (SELECT coalesce(sum(e.net_units - e.recovered_units), 0) FROM earnings e
                             WHERE e.developer_user_id = $1 AND e.payout_id IS NULL AND NOT e.dispute_open
                               AND ${SINCE_WINDOW} AND e.matures_at >= o.day_begins AND e.matures_at <= $2) AS matured,
                        t.earned_units AS earned
                 FROM (SELECT ($2::timestamptz AT TIME ZONE 'UTC')::date AS today,
                              date_trunc('day', $2::timestamptz, 'UTC') AS day_begins) o
                 CROSS JOIN (SELECT coalesce(sum(s.open_units), 0) AS open_units, coalesce(sum(s.disputed_units), 0)
                                    AS disputed_units, coalesce(sum(s.earned_units), 0) AS earned_units
                             FROM earning_sums s WHERE s.developer_user_id = $1) t
                 CROSS JOIN LATERAL (SELECT coalesce(sum(d.open_units - d.disputed_units), 0) AS units
                                     FROM earning_day_lots d WHERE d.developer_user_id = $1 AND d.matures_on >= o.today)
                   later) m,
                (SELECT (SELECT e.created_at FROM earnings e WHERE e.developer_user_id = $1 AND ${SINCE_WINDOW}
                         ORDER BY e.matures_at DESC, e.invocation_id DESC LIMIT 1) AS earned_at) l`,
    values: [userId, asOf],
  });
  const row = onlyRow(result);
  return {
    walletUnits: unitsFromDatabase(row.wallet),
    pendingPayoutUnits: unitsFromDatabase(row.payable),
    maturedUnits: unitsFromDatabase(row.matured),
    bondUnits: unitsFromDatabase(row.bond),
    lifetimeEarnedUnits: unitsFromDatabase(row.earned),
    wasPaid: row.was_paid,
    updatedAt: row.updated_at,
  };
}

export interface LedgerLine {
  entryId: string;
  transactionId: string;
  account: UserAccountKind;
  entryType: EntryType;
  amountUnits: number;
  /** Balance of the account after this line. */
  balanceAfterUnits: number;
  invocationId: string | null;
  agentId: string | null;
  description: string;
  createdAt: Date;
  /** When the earning matures, if that is later than at the end of its dispute window (docs/payouts.md). */
  maturesLateAt: Date | null;
}

export interface LineFilter {
  userId: string;
  accounts: readonly UserAccountKind[];
  entryType?: string | undefined;
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** Without the holds of calls and what returns them: a call has one line. */
  isNet?: boolean | undefined;
  /** Only lines before this entry id. */
  beforeEntryId?: string | undefined;
  limit: number;
  /** Length of the dispute window; undefined when no earnings mature later. */
  disputeWindowMs?: number | undefined;
}

interface LineRow {
  entry_id: string;
  transaction_id: string;
  kind: UserAccountKind;
  entry_type: EntryType;
  amount_units: string;
  balance_after: string;
  invocation_id: string | null;
  agent_id: string | null;
  description: string;
  created_at: Date;
  matures_late_at: Date | null;
  reached: string | null;
}

/**
 * `$5`: without the holds of calls and what returns them, which add up to nothing when a call has ended. A dispute that
 * ends a running call returns its hold, out of the escrow; any other returns a charge.
 */
const LINE_FILTER = `($3::text IS NULL OR e.entry_type = $3) AND ($4::timestamptz IS NULL OR e.created_at >= $4)
  AND (NOT $5::boolean OR CASE e.entry_type WHEN 'invocation_hold' THEN false WHEN 'invocation_release' THEN false
    WHEN 'refund' THEN false WHEN 'dispute_refund' THEN NOT EXISTS (SELECT FROM ledger_lines(e.transaction_id) l
      JOIN accounts x ON x.account_id = l.account_id AND x.kind = 'escrow') ELSE true END)
  AND ($6::timestamptz IS NULL OR e.created_at < $6)`;

/**
 * `read`: the newest $9 entries of each account, with the sum of those that are newer. `reached`: down to this entry,
 * the entries of all accounts are among them. `later`: of hot accounts, the sum of the entries from the cursor on.
 */
const LINES = `
  WITH read AS MATERIALIZED (
    SELECT e.*, a.kind, a.hot,
           sum(e.amount_units) OVER (PARTITION BY e.account_id ORDER BY e.entry_id DESC) - e.amount_units AS newer_units
    FROM accounts a CROSS JOIN LATERAL ledger_entries_of(a.account_id, coalesce($7, 9223372036854775807), $9) e
    WHERE a.user_id = $1 AND a.kind = ANY ($2)
  ), reached AS MATERIALIZED (
    SELECT max(full_account.oldest) AS entry_id FROM (
      SELECT min(entry_id) AS oldest FROM read GROUP BY account_id HAVING count(*) >= $9) full_account
  ), page AS MATERIALIZED (
    SELECT e.* FROM read e WHERE ${LINE_FILTER} AND e.entry_id >= coalesce((SELECT entry_id FROM reached), 0)
    ORDER BY e.entry_id DESC LIMIT $8
  ), later AS MATERIALIZED (
    SELECT a.account_id, (SELECT coalesce(sum(n.amount_units), 0) FROM all_entries n
                          WHERE n.account_id = a.account_id AND n.entry_id >= $7) AS units
    FROM accounts a WHERE a.user_id = $1 AND a.kind = ANY ($2) AND a.hot AND $7::bigint IS NOT NULL
  )
  SELECT p.entry_id, p.transaction_id, p.kind, p.entry_type, p.amount_units, t.invocation_id, t.agent_id,
         t.description, p.created_at, coalesce(p.balance_after_units,
           b.balance_units - coalesce(l.units, 0) - p.newer_units) AS balance_after,
         (SELECT g.matures_at FROM earnings g WHERE p.entry_type = 'invocation_earning' AND $10::bigint IS NOT NULL
            AND g.invocation_id = t.invocation_id AND g.matures_at > g.created_at + $10 * interval '1 millisecond') AS matures_late_at,
         reached.entry_id AS reached
  FROM reached LEFT JOIN page p ON true
  LEFT JOIN LATERAL (SELECT * FROM all_transactions t WHERE t.transaction_id = p.transaction_id OFFSET 0) t ON true
  LEFT JOIN account_balances b ON b.account_id = p.account_id
  LEFT JOIN later l ON l.account_id = p.account_id
  ORDER BY p.entry_id DESC`;

/** Some lines of each account; together more than a list shows a total of when one account has more. */
const COUNTED = {
  from: `accounts a CROSS JOIN LATERAL ledger_entries_of(a.account_id, 9223372036854775807, ${MOST_COUNTED + 1}) e`,
  key: 'a.user_id = $1 AND a.kind = ANY ($2)',
  filter: LINE_FILTER,
};

export interface LedgerPage {
  rows: LedgerLine[];
  total: number;
  /** Set when the scan ended before the list did: the last entry that was compared with the filter. */
  scannedTo: string | undefined;
}

/**
 * Lists the lines of a user's accounts, newest first, with the total of the filter. Compares at most `MOST_SCANNED`
 * entries of each account with the filter. Entries of locked accounts store
 * their balance. For hot accounts, the balance is computed backwards from the account's balance in the same snapshot.
 */
export async function listLines(db: Db, filter: LineFilter): Promise<LedgerPage> {
  const { entryType = null, since = null, isNet = false, until = null } = filter;
  const isFiltered = isNet || [entryType, since, until].some((value) => value !== null);
  const values = [filter.userId, filter.accounts, entryType, since, isNet, until];
  const { rows } = await db.query<LineRow | { entry_id: null; reached: string | null }>({
    name: 'ledger-lines',
    text: LINES,
    values: [
      ...values,
      filter.beforeEntryId ?? null,
      filter.limit,
      isFiltered ? MOST_SCANNED : filter.limit,
      filter.disputeWindowMs ?? null,
    ],
  });
  return {
    rows: rows.filter((row) => row.entry_id !== null).map(toLine),
    total: await countRows(db, COUNTED, values),
    scannedTo: isFiltered ? (rows[0]?.reached ?? undefined) : undefined,
  };
}

function toLine(row: LineRow): LedgerLine {
  return {
    entryId: row.entry_id,
    transactionId: row.transaction_id,
    account: row.kind,
    entryType: row.entry_type,
    amountUnits: unitsFromDatabase(row.amount_units),
    balanceAfterUnits: unitsFromDatabase(row.balance_after),
    invocationId: row.invocation_id,
    agentId: row.agent_id,
    description: row.description,
    createdAt: row.created_at,
    maturesLateAt: row.matures_late_at,
  };
}

/**
 * Lists a user's wallet lines of one call, newest first: at most a handful, found by the references of the call, so a
 * line costs the same however old it is. Empty for a call that moved nothing in this wallet.
 */
export async function listWalletLinesOfCall(
  db: Db,
  userId: string,
  invocationId: string,
): Promise<LedgerLine[]> {
  const { rows } = await db.query<LineRow>({
    name: 'wallet-lines-of-invocation',
    text: `SELECT e.entry_id, e.transaction_id, a.kind, e.entry_type, e.amount_units, t.invocation_id, t.agent_id,
             t.description, e.created_at, e.balance_after_units AS balance_after,
             NULL AS matures_late_at, NULL AS reached
           FROM unnest($1::text[]) wanted (id) CROSS JOIN LATERAL ledger_lines(wanted.id) e
           JOIN all_transactions t ON t.transaction_id = wanted.id
           JOIN accounts a ON a.account_id = e.account_id
           WHERE t.transaction_id = ANY ($1) AND a.user_id = $2 AND a.kind = 'wallet'
           ORDER BY e.entry_id DESC`,
    values: [await listTransactionIds(db, invocationId), userId],
  });
  return rows.map(toLine);
}

/** Lists the transactions of a call, oldest first: hold, charge or refund, clawback. */
export async function listTransactionIds(db: Db, invocationId: string): Promise<string[]> {
  const { rows } = await db.query<{ transaction_id: string }>({
    name: 'transactions-of-invocation',
    text: `SELECT s.transaction_id FROM ledger_step_transactions($1) s
           UNION ALL
           SELECT r.transaction_id FROM transaction_references r WHERE r.reference = ANY (
             SELECT 'invocation/' || $1 || '/clawback'
             UNION ALL
             SELECT 'slash/' || c.slash_id || '/refund/' || $1 FROM slash_calls c
              WHERE c.invocation_id = $1 AND c.refund_units > 0)
           ORDER BY transaction_id`,
    values: [invocationId],
  });
  return rows.map((row) => row.transaction_id);
}
