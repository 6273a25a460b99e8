import type { OperatorActionName } from '../../domain/accounts/operator-actions';
import { newId } from '../../kit/ids/ids';
import type { Db } from '../db';
import { countRows } from '../list-total';

/**
 * The audit log of operators (`migrations/0015_operations.sql`). Rows are never changed and are written in the
 * transaction of the action. The database itself writes the entries for rulings, slashes, reviews of tax forms and
 * exchange rates.
 */
export interface OperatorAction {
  /** Null for a command on the database. `runBy` then contains the user who ran it. */
  operatorUserId: string | null;
  /** User and host, such as `ada@host`. */
  runBy?: string | null | undefined;
  action: OperatorActionName;
  /** Id of the object of the action. */
  subject: string;
  reason: string;
  /** Further facts, such as states and amounts. Must not contain secrets. */
  details?: Record<string, unknown> | undefined;
  /** Trace id of the request; null for a command. */
  traceId: string | null;
}

/** Longest reason. Longer ones are cut. */
const MOST_CHARACTERS = 4_000;

export interface OperatorActionRow extends Omit<OperatorAction, 'action' | 'details' | 'runBy'> {
  actionId: string;
  /** A release to come may have written further ones. */
  action: string;
  /** The operator as people know them; null for a command. */
  operatorName: string | null;
  operatorEmail: string | null;
  runBy: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
}

/** Appends an audit log entry. Call it in the transaction that performs the action. */
export async function recordOperatorAction(tx: Db, action: OperatorAction): Promise<void> {
  const { operatorUserId, subject, reason, details = {}, traceId } = action;
  await tx.query(
    `INSERT INTO operator_actions (action_id, operator_user_id, run_by, action, subject, reason, details, trace_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      newId('opa'),
      operatorUserId,
      action.runBy ?? null,
      action.action,
      subject,
      reason.slice(0, MOST_CHARACTERS),
      JSON.stringify(details),
      traceId,
    ],
  );
}

/** The reason of the newest action of a kind on an object; undefined if there is none. */
export async function readNewestReason(
  db: Db,
  action: OperatorActionName,
  subject: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ reason: string }>(
    `SELECT reason FROM operator_actions WHERE subject = $2 AND action = $1 ORDER BY action_id DESC LIMIT 1`,
    [action, subject],
  );
  return rows[0]?.reason;
}

export interface OperatorActionFilter {
  operatorUserId?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
  beforeId?: string | undefined;
  limit: number;
}

/** Lists audit log entries, newest first, with the total of the filter. */
export async function listOperatorActions(
  db: Db,
  filter: OperatorActionFilter,
): Promise<{ rows: OperatorActionRow[]; total: number }> {
  const where = `($1::text IS NULL OR operator_user_id = $1) AND ($2::text IS NULL OR action = $2)
    AND ($3::text IS NULL OR subject = $3)
    AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)`;
  const values = [
    filter.operatorUserId ?? null,
    filter.action ?? null,
    filter.subject ?? null,
    filter.since ?? null,
    filter.until ?? null,
  ];
  const found = await db.query<{
    action_id: string;
    operator_user_id: string | null;
    operator_name: string | null;
    operator_email: string | null;
    run_by: string | null;
    action: string;
    subject: string;
    reason: string;
    details: Record<string, unknown>;
    trace_id: string | null;
    created_at: Date;
  }>(
    `SELECT o.*, u.display_name AS operator_name, u.email AS operator_email
       FROM (SELECT * FROM operator_actions WHERE ${where} AND ($6::text IS NULL OR action_id < $6)
              ORDER BY action_id DESC LIMIT $7) o
       LEFT JOIN users u ON u.user_id = o.operator_user_id ORDER BY action_id DESC`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const list = { from: 'operator_actions', key: 'true', filter: where, order: 'action_id DESC' };
  const rows = found.rows.map((row) => ({
    actionId: row.action_id,
    operatorUserId: row.operator_user_id,
    operatorName: row.operator_name,
    operatorEmail: row.operator_email,
    runBy: row.run_by,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    traceId: row.trace_id,
    createdAt: row.created_at,
  }));
  return { rows, total: await countRows(db, list, values) };
}
