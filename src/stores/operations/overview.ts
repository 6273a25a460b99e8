/** What operators read: the money of one call, and the state of the platform. Every read is by an index. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

export interface OperatorCallRow {
  invocation_id: string;
  buyer_user_id: string;
  developer_user_id: string;
  agent_id: string;
  version: string;
  surface: string;
  status: string;
  error_code: string | null;
  trace_id: string;
  invoked_at: Date;
  settled_at: Date | null;
  hold: {
    state: string;
    amount_units: number;
    created_at: string;
    forwarded_at: string | null;
    forward_count: number;
    lease_until: string;
  } | null;
}

export async function readOperatorCall(db: Db, invocationId: string): Promise<OperatorCallRow | undefined> {
  const { rows } = await db.query<OperatorCallRow>(
    `SELECT invocation_id, i.buyer_user_id, i.developer_user_id, i.agent_id, version, surface, status, error_code,
            i.trace_id, invoked_at, settled_at,
            (SELECT to_jsonb(h) FROM (SELECT state, amount_units, created_at, forwarded_at, forward_count, lease_until
               FROM all_holds WHERE invocation_id = $1) h) AS hold
       FROM all_invocations i WHERE invocation_id = $1`,
    [invocationId],
  );
  return rows[0];
}

export interface Movement {
  transactionId: string;
  account: string;
  userId: string | null;
  entryType: string;
  amountUnits: number;
  description: string;
  invocationId: string | null;
  createdAt: Date;
}

interface MovementRow {
  transaction_id: string;
  account: string;
  user_id: string | null;
  entry_type: string;
  amount_units: string;
  description: string;
  invocation_id: string | null;
  created_at: Date;
}

/** Lists both sides of some transactions, oldest first. */
export async function listMovements(db: Db, transactionIds: readonly string[]): Promise<Movement[]> {
  const { rows } = await db.query<MovementRow>(
    `SELECT e.transaction_id, a.kind AS account, a.user_id, e.entry_type, e.amount_units, t.description,
            t.invocation_id, e.created_at
       FROM unnest($1::text[]) wanted (id)
       CROSS JOIN LATERAL ledger_lines(wanted.id) e
       JOIN all_transactions t ON t.transaction_id = wanted.id
       JOIN accounts a USING (account_id)
      ORDER BY e.entry_id`,
    [transactionIds],
  );
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    account: row.account,
    userId: row.user_id,
    entryType: row.entry_type,
    amountUnits: unitsFromDatabase(row.amount_units),
    description: row.description,
    invocationId: row.invocation_id,
    createdAt: row.created_at,
  }));
}

export interface OpenHold {
  invocation_id: string;
  agent_id: string;
  amount_units: number;
  created_at: string;
  lease_until: string;
  /** Null for the hold of a call that is no job. */
  job: { ends_at: string; heard_at: string; waits_for: 'agent' | 'buyer' | 'settlement' } | null;
}

export interface PlatformState {
  holds: OpenHold[];
  schema: { migrations: number; latest: string | null };
  ledger: { sealed: string | null; proven: string | null; provenAt: string | null };
}

const MOST_HOLDS = 20;

/** Reads the open holds whose lease ends first, what migrations were applied, and how far the ledger is proven. */
export async function readPlatformState(db: Db): Promise<PlatformState> {
  return onlyRow(
    await db.query<PlatformState>(
      `SELECT coalesce((SELECT jsonb_agg(h) FROM (
                SELECT h.invocation_id, h.agent_id, h.amount_units, h.created_at, h.lease_until,
                       (SELECT jsonb_build_object('ends_at', j.ends_at, 'heard_at', j.heard_at,
                                 'waits_for', job_waits_for(j))
                          FROM jobs j WHERE j.invocation_id = h.invocation_id) AS job
                  FROM holds h WHERE h.state = 'open' ORDER BY h.lease_until LIMIT ${MOST_HOLDS}) h), '[]') AS holds,
              (SELECT jsonb_build_object('migrations', count(*), 'latest', max(name)) FROM schema_migrations) AS schema,
              jsonb_build_object('sealed', (SELECT max(day) FROM ledger_digests), 'proven', p.day,
                'provenAt', p.proven_at) AS ledger
         FROM (SELECT) one LEFT JOIN LATERAL (
           SELECT day, proven_at FROM ledger_proven_days ORDER BY day DESC LIMIT 1) p ON true`,
    ),
  );
}
