/** Queries of the worker that starts and performs tasks (`migrations/0006_a2a.sql`). */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** An accepted task whose workflow is not confirmed by the engine. */
export interface UnstartedTask {
  taskId: string;
  agentId: string;
  buyerUserId: string;
  traceId: string;
  timeoutMs: number;
  priceUnits: number;
}

export interface UnstartedOptions {
  /** Tasks that were accepted at least so long ago and were never confirmed to have a workflow. */
  olderThanMs: number;
  /** And tasks without a hold whose workflow was last confirmed so long ago: it may be lost. */
  confirmedForMs: number;
  /** At most so many of each. */
  most: number;
}

/** Lists submitted tasks that may have no workflow, longest waiting first. */
export async function listUnstarted(
  db: Db,
  { olderThanMs, confirmedForMs, most }: UnstartedOptions,
): Promise<UnstartedTask[]> {
  const { rows } = await db.query<{
    task_id: string;
    agent_id: string;
    buyer_user_id: string;
    trace_id: string;
    timeout_ms: number;
    price_units: string;
  }>(
    `SELECT t.task_id, t.agent_id, t.buyer_user_id, t.trace_id, v.timeout_ms, i.price_units
       FROM ((SELECT * FROM a2a_tasks WHERE started_at IS NULL AND state = 'SUBMITTED'
                AND created_at < now() - $1 * interval '1 millisecond' ORDER BY created_at LIMIT $3)
             UNION ALL
             (SELECT * FROM a2a_tasks WHERE started_at IS NOT NULL AND state = 'SUBMITTED'
                AND started_at < now() - $2 * interval '1 millisecond' ORDER BY started_at LIMIT $3)) t
       JOIN invocations i ON i.invocation_id = t.task_id JOIN agent_versions v USING (version_id)`,
    [olderThanMs, confirmedForMs, most],
  );
  return rows.map((row) => ({
    taskId: row.task_id,
    agentId: row.agent_id,
    buyerUserId: row.buyer_user_id,
    traceId: row.trace_id,
    timeoutMs: row.timeout_ms,
    priceUnits: unitsFromDatabase(row.price_units),
  }));
}

export async function markTaskStarted(db: Db, taskId: string): Promise<void> {
  await db.query(`UPDATE a2a_tasks SET started_at = now() WHERE task_id = $1 AND state = 'SUBMITTED'`, [
    taskId,
  ]);
}

/** The data that a worker needs to perform a task. */
export interface TaskWork {
  taskId: string;
  buyerUserId: string;
  versionId: string;
  priceUnits: number;
  /** The former price of the version counts. */
  isFormer: boolean;
  free: boolean;
  ceilingCredits: number | null;
  traceId: string;
  hops: number;
  /** True if the buyer keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
  /** Null once the task has ended. */
  sealedInput: Buffer | null;
  /** The tests of its answer; null without any. */
  sealedAcceptance: Buffer | null;
  /** Null: JSON. */
  inputType: string | null;
  agentId: string;
  callerUserId: string;
  contextId: string;
}

/** The accounts whose places a task needs. */
export interface TaskTenants {
  buyerUserId: string;
  developerUserId: string;
  /** Nothing is held for it. */
  isUnpaid: boolean;
}

export async function readTaskTenants(db: Db, taskId: string): Promise<TaskTenants | undefined> {
  const { rows } = await db.query<{ buyer: string; developer: string; unpaid: boolean }>({
    name: 'a2a-task-tenants',
    text: `SELECT buyer_user_id AS buyer, developer_user_id AS developer, price_units = 0 AS unpaid
             FROM invocations WHERE invocation_id = $1`,
    values: [taskId],
  });
  const row = rows[0];
  return row && { buyerUserId: row.buyer, developerUserId: row.developer, isUnpaid: row.unpaid };
}

export async function readTaskWork(db: Db, taskId: string): Promise<TaskWork | undefined> {
  const { rows } = await db.query<{
    buyer_user_id: string;
    version_id: string;
    price_units: string;
    is_former: boolean;
    free: boolean;
    max_cost_credits: number | null;
    trace_id: string;
    hops: number;
    keeps_bodies: boolean;
    input: Buffer | null;
    acceptance: Buffer | null;
    input_type: string | null;
    agent_id: string;
    caller_user_id: string;
    context_id: string;
  }>({
    name: 'a2a-task-work',
    text: `SELECT i.buyer_user_id, i.version_id, i.price_units, i.free, coalesce((SELECT q.is_former FROM quoted_calls q WHERE q.invocation_id = i.invocation_id),
                    i.invoked_at < v.price_effective_at, false) AS is_former, i.max_cost_credits, i.trace_id, t.hops, t.input, t.acceptance, t.input_type,
                  t.agent_id, t.caller_user_id, t.context_id,
                  EXISTS (SELECT FROM users u WHERE u.user_id = i.buyer_user_id AND u.keep_days > 0) AS keeps_bodies
             FROM a2a_tasks t JOIN invocations i ON i.invocation_id = t.task_id
             JOIN agent_versions v ON v.version_id = i.version_id WHERE t.task_id = $1`,
    values: [taskId],
  });
  const row = rows[0];
  return (
    row && {
      taskId,
      buyerUserId: row.buyer_user_id,
      versionId: row.version_id,
      priceUnits: unitsFromDatabase(row.price_units),
      free: row.free,
      isFormer: row.is_former,
      ceilingCredits: row.max_cost_credits,
      traceId: row.trace_id,
      hops: row.hops,
      keepsBodies: row.keeps_bodies,
      sealedInput: row.input,
      sealedAcceptance: row.acceptance,
      inputType: row.input_type,
      agentId: row.agent_id,
      callerUserId: row.caller_user_id,
      contextId: row.context_id,
    }
  );
}
