import { newId } from '../kit/ids';
import { onlyRow, type Db } from './db';

/** The log of what operators did (migration 0940): rows are written once, in the transaction of the deed. */
export interface OperatorAction {
  operatorUserId: string;
  /** `<what>.<verb>`: `agent.suspend`, `wallet.freeze`, `payment.resolve`, … */
  action: string;
  /** The id of what was acted upon. */
  subject: string;
  reason: string;
  /** What else is worth knowing: states, amounts; no secrets. */
  details?: Record<string, unknown> | undefined;
  /** Of the request; null when the command did it. */
  traceId: string | null;
}

export interface OperatorActionRow extends Required<Omit<OperatorAction, 'details'>> {
  actionId: string;
  details: Record<string, unknown>;
  createdAt: Date;
}

/** Writes down a deed; call it in the transaction that does it. */
export async function recordOperatorAction(tx: Db, action: OperatorAction): Promise<void> {
  const { operatorUserId, subject, reason, details = {}, traceId } = action;
  await tx.query(
    `INSERT INTO operator_actions (action_id, operator_user_id, action, subject, reason, details, trace_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [newId('opa'), operatorUserId, action.action, subject, reason, JSON.stringify(details), traceId],
  );
}

export interface OperatorActionFilter {
  operatorUserId?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  beforeId?: string | undefined;
  limit: number;
}

/** Newest first, and how many there are. */
export async function listOperatorActions(
  db: Db,
  filter: OperatorActionFilter,
): Promise<{ rows: OperatorActionRow[]; total: number }> {
  const where = `($1::text IS NULL OR operator_user_id = $1) AND ($2::text IS NULL OR action = $2)
    AND ($3::text IS NULL OR subject = $3)`;
  const values = [filter.operatorUserId ?? null, filter.action ?? null, filter.subject ?? null];
  const found = await db.query<{
    action_id: string;
    operator_user_id: string;
    action: string;
    subject: string;
    reason: string;
    details: Record<string, unknown>;
    trace_id: string | null;
    created_at: Date;
  }>(
    `SELECT * FROM operator_actions WHERE ${where} AND ($4::text IS NULL OR action_id < $4)
     ORDER BY action_id DESC LIMIT $5`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const count = await db.query<{ total: string }>(
    `SELECT count(*) AS total FROM operator_actions WHERE ${where}`,
    values,
  );
  const rows = found.rows.map((row) => ({
    actionId: row.action_id,
    operatorUserId: row.operator_user_id,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    traceId: row.trace_id,
    createdAt: row.created_at,
  }));
  return { rows, total: Number(onlyRow(count).total) };
}
