/** Where credits are and how they came there, for operators: a user's accounts, and the movements of one object. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export interface AccountState {
  userId: string;
  role: string;
  /** Reasons why the wallet pays nothing, such as a freeze; empty if there are none. */
  isFrozen: boolean;
  /** Balances by kind of account, in units. */
  balances: { kind: string; units: number }[];
  /** Open holds, oldest first, at most twenty: credits that are in escrow. */
  holds: { invocationId: string; units: number; since: Date; leaseUntil: Date }[];
}

export interface Movement {
  transactionId: string;
  at: Date;
  kind: string;
  reference: string;
  description: string;
  traceId: string | null;
  /** The accounts that lost (negative) and gained units: `wallet of usr_…`, `fees`. */
  entries: { account: string; units: number }[];
}

/** Finds a user by id or email. Returns undefined if there is none. */
export async function readAccountState(db: Db, user: string): Promise<AccountState | undefined> {
  const { rows } = await db.query<{
    user_id: string;
    role: string;
    frozen: boolean;
    balances: { kind: string; units: number }[];
    holds: { id: string; units: number; since: string; until: string }[];
  }>(
    `SELECT u.user_id, u.role, wallet_is_frozen(u.user_id) AS frozen,
        (SELECT jsonb_agg(jsonb_build_object('kind', a.kind, 'units', a.balance_units) ORDER BY a.account_id)
           FROM account_balances a WHERE a.user_id = u.user_id) AS balances,
        (SELECT coalesce(jsonb_agg(h), '[]') FROM (
           SELECT h.invocation_id AS id, h.amount_units AS units, h.created_at AS since, h.lease_until AS until
           FROM holds h WHERE h.buyer_user_id = u.user_id AND h.state = 'open' ORDER BY h.created_at LIMIT 20) h) AS holds
     FROM users u WHERE u.user_id = $1 OR lower(u.email) = lower($1)`,
    [user],
  );
  const row = rows[0];
  if (!row) return undefined;
  return {
    userId: row.user_id,
    role: row.role,
    isFrozen: row.frozen,
    balances: row.balances,
    holds: row.holds.map(({ id, units, since, until }) => ({
      invocationId: id,
      units,
      since: new Date(since),
      leaseUntil: new Date(until),
    })),
  };
}

/** Tables of the objects that move credits, with the column of their ids, by the prefix of the id. */
const OBJECTS: Readonly<Record<string, readonly [table: string, column: string]>> = {
  inv: ['all_invocations', 'invocation_id'],
  top: ['topups', 'topup_id'],
  pay: ['payouts', 'payout_id'],
  slh: ['slashes', 'slash_id'],
  txn: ['all_transactions', 'transaction_id'],
};

/** False if an id has the prefix of a call, top-up, payout, slash or transaction, and there is none of this id. */
export async function mayExist(db: Db, id: string): Promise<boolean> {
  const [table, column] = OBJECTS[id.split('_', 1)[0] ?? ''] ?? [];
  if (table === undefined || column === undefined || !/^[a-z]{3}_/.test(id)) return true;
  const { rowCount } = await db.query(`SELECT FROM ${table} WHERE ${column} = $1`, [id]);
  return rowCount !== 0;
}

/** Business references that the id of an object can have (docs/ledger.md, "Transactions"). */
const REFERENCES = `
  SELECT $1 AS reference
  UNION ALL SELECT 'topup/' || $1 UNION ALL SELECT 'registration/' || $1
  UNION ALL SELECT 'invocation/' || $1 || '/clawback'
  UNION ALL SELECT 'payout/' || $1 || '/' || s FROM unnest('{reserve,paid,return,late-return}'::text[]) s
  UNION ALL SELECT 'payout/' || $1 || '/reserve/' || n
    FROM payouts p, generate_series(1, p.steps) n WHERE p.payout_id = $1
  UNION ALL SELECT 'bond/' || $1 || '/' || s FROM unnest('{deposit,release}'::text[]) s
  UNION ALL SELECT 'slash/' || $1 || '/' || s FROM unnest('{apply,return,penalty}'::text[]) s
  UNION ALL SELECT 'slash/' || c.slash_id || '/refund/' || c.invocation_id
    FROM slash_calls c WHERE c.invocation_id = $1 AND c.refund_units > 0`;

const MOVEMENTS = `
  SELECT t.transaction_id, t.created_at, t.kind, t.reference, t.description, t.trace_id,
    (SELECT jsonb_agg(jsonb_build_object('account', a.kind || coalesce(' of ' || a.user_id, ''), 'units', e.amount_units)
                      ORDER BY e.line)
       FROM ledger_lines(t.transaction_id) e JOIN accounts a USING (account_id)) AS entries
  FROM all_transactions t WHERE t.transaction_id IN (SELECT r.transaction_id FROM ids r)
  ORDER BY t.transaction_id`;

/** Lists the movements of an object by its id, of a reference or of a transaction, oldest first. */
export function listMovements(db: Db, id: string): Promise<Movement[]> {
  const ids = `SELECT $1 AS transaction_id WHERE $1 LIKE 'txn\\_%'
    UNION SELECT r.transaction_id FROM transaction_references r WHERE r.reference IN (${REFERENCES})
    UNION SELECT s.transaction_id
      FROM ledger_step_transactions(CASE WHEN $1 LIKE 'invocation/%' THEN split_part($1, '/', 2) ELSE $1 END) s
      WHERE $1 NOT LIKE 'invocation/%' OR s.reference = $1`;
  return movements(db, ids, [id]);
}

/** Lists the newest movements of a user's accounts, oldest first; `most` of each account are read. */
export function listUserMovements(db: Db, userId: string, most: number): Promise<Movement[]> {
  const ids = `SELECT e.transaction_id FROM accounts a
    CROSS JOIN LATERAL ledger_entries_of(a.account_id, 9223372036854775807, $2) e WHERE a.user_id = $1
    GROUP BY e.transaction_id ORDER BY e.transaction_id DESC LIMIT $2`;
  return movements(db, ids, [userId, most]);
}

async function movements(db: Db, ids: string, values: unknown[]): Promise<Movement[]> {
  const { rows } = await db.query<{
    transaction_id: string;
    created_at: Date;
    kind: string;
    reference: string;
    description: string;
    trace_id: string | null;
    entries: { account: string; units: number }[];
  }>(`WITH ids AS MATERIALIZED (${ids}) ${MOVEMENTS}`, values);
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    at: row.created_at,
    kind: row.kind,
    reference: row.reference,
    description: row.description,
    traceId: row.trace_id,
    entries: row.entries.map(({ account, units }) => ({ account, units: unitsFromDatabase(units) })),
  }));
}

/** The call of an id, as its row and its hold say; undefined if there is none. */
export async function readCallState(db: Db, invocationId: string) {
  const { rows } = await db.query<{
    status: string;
    error_code: string | null;
    hold: string | null;
    lease_until: Date | null;
  }>(
    `SELECT i.status, i.error_code, h.state AS hold, h.lease_until
     FROM all_invocations i LEFT JOIN all_holds h USING (invocation_id) WHERE i.invocation_id = $1`,
    [invocationId],
  );
  return rows[0];
}
