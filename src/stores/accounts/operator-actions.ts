import { newId } from '../../kit/ids/ids';
import { onlyRow, type Db } from '../db';

/**
 * The log of what operators did (migrations 0940, 0951): rows are written once, in the transaction of the deed. Rulings,
 * slashes, reviews of tax forms and rates of exchange are written by the database itself.
 */
export interface OperatorAction {
  /** Null for a command on the database; `runBy` says who ran it then. */
  operatorUserId: string | null;
  /** Such as `ada@host`. */
  runBy?: string | null | undefined;
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

/** Of a reason. */
const MOST_CHARACTERS = 4_000;

export interface OperatorActionRow extends Omit<OperatorAction, 'details' | 'runBy'> {
  actionId: string;
  runBy: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
}

/** Writes down a deed; call it in the transaction that does it. */
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

export interface OperatorActionFilter {
  operatorUserId?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** From then, and until before then. */
  since?: Date | undefined;
  until?: Date | undefined;
  beforeId?: string | undefined;
  limit: number;
}

/** Newest first, and how many there are. */
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
    run_by: string | null;
    action: string;
    subject: string;
    reason: string;
    details: Record<string, unknown>;
    trace_id: string | null;
    created_at: Date;
  }>(
    `SELECT * FROM operator_actions WHERE ${where} AND ($6::text IS NULL OR action_id < $6)
     ORDER BY action_id DESC LIMIT $7`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const count = await db.query<{ total: string }>(
    `SELECT count(*) AS total FROM operator_actions WHERE ${where}`,
    values,
  );
  const rows = found.rows.map((row) => ({
    actionId: row.action_id,
    operatorUserId: row.operator_user_id,
    runBy: row.run_by,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    traceId: row.trace_id,
    createdAt: row.created_at,
  }));
  return { rows, total: Number(onlyRow(count).total) };
}
