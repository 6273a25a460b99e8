/** Tasks (`migrations/0006_a2a.sql`). Only triggers change their state, in the transaction that ends the call. */
import type { TaskReason, TaskState } from '../../domain/a2a/a2a-task';
import type { ErrorCode } from '../../domain/errors';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { isStorable, toStorable } from '../../domain/json-value';
import type { Db } from '../db';
import type { JobProgress } from '../jobs/jobs';
import { countRows } from '../list-total';

export interface NewTask {
  taskId: string;
  agentId: string;
  buyerUserId: string;
  callerUserId: string;
  contextId: string;
  traceId: string;
  hops: number;
  /** Sealed; the context is `taskInputContext(taskId)`. Null for a task that is rejected. */
  sealedInput: Buffer | null;
  /** The content type of the input; undefined: JSON. */
  inputType?: string | undefined;
  /** Sealed; the context is `taskAcceptanceContext(taskId)`. Null for a call without tests. */
  sealedAcceptance: Buffer | null;
  /** Sealed; the context is `taskMessageContext(taskId)`. Null when the task was submitted without a message. */
  sealedMessage: Buffer | null;
  /** Set for a rejected task. Rejected tasks are deleted after a day. */
  reason: TaskReason | null;
}

/** A task as shown to its caller, with the usage and cost of its call. */
export interface TaskRow {
  taskId: string;
  agentId: string;
  /** The agent speaks A2A itself. */
  isOfA2aAgent: boolean;
  buyerUserId: string;
  contextId: string;
  traceId: string;
  state: TaskState;
  stateAt: Date;
  lastSeq: number;
  reason: TaskReason | null;
  sealedMessage: Buffer | null;
  createdAt: Date;
  /** Null for a rejected task. */
  call: TaskCallRow | null;
  /** How its job goes; null if its agent has not accepted it as one. */
  job: JobProgress | null;
}

export interface TaskCallRow {
  status: InvocationStatus;
  version: string;
  errorCode: ErrorCode | null;
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
  chargedUnits: number;
}

interface RawTask {
  task_id: string;
  agent_id: string;
  of_a2a_agent: boolean;
  buyer_user_id: string;
  context_id: string;
  trace_id: string;
  state: TaskState;
  state_at: Date;
  last_seq: number;
  reason: TaskReason | null;
  message: Buffer | null;
  created_at: Date;
  status: InvocationStatus | null;
  version: string | null;
  error_code: ErrorCode | null;
  tokens_in: number | null;
  tokens_out: number | null;
  duration_ms: number | null;
  charged_units: string | null;
  taken_at: Date | null;
  ends_at: Date | null;
  heard_at: Date | null;
  progress: number | null;
  job_message: Buffer | null;
}

const COLUMNS = `t.task_id, t.agent_id, t.buyer_user_id, t.context_id, t.trace_id, t.state, t.state_at, t.last_seq,
  (SELECT g.kind = 'a2a' FROM agents g WHERE g.agent_id = t.agent_id) AS of_a2a_agent,
  t.reason, t.message, t.created_at, i.status, i.version, i.error_code, i.tokens_in, i.tokens_out, i.duration_ms,
  i.charged_units, j.taken_at, j.ends_at, j.heard_at, j.progress, j.message AS job_message`;
const FROM = `a2a_tasks t LEFT JOIN invocations i ON i.invocation_id = t.task_id
  LEFT JOIN jobs j ON j.invocation_id = t.task_id`;

export async function insertTask(db: Db, task: NewTask): Promise<void> {
  await db.query(
    `INSERT INTO a2a_tasks (task_id, agent_id, buyer_user_id, caller_user_id, context_id, trace_id, hops, input, message,
       reason, input_type, acceptance, state, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, CASE WHEN $10::jsonb IS NULL THEN 'SUBMITTED' ELSE 'REJECTED' END,
       CASE WHEN $10::jsonb IS NOT NULL THEN now() + interval '1 day' END)`,
    [
      task.taskId,
      task.agentId,
      task.buyerUserId,
      task.callerUserId,
      task.contextId,
      task.traceId,
      task.hops,
      task.sealedInput,
      task.sealedMessage,
      task.reason && reasonJson(task.reason),
      task.inputType ?? null,
      task.sealedAcceptance,
    ],
  );
}

/** Serializes a reason. It contains names of input members, which are untrusted text. */
function reasonJson(reason: TaskReason): string {
  return JSON.stringify(reason, (_name, value: unknown) =>
    typeof value === 'string' ? toStorable(value) : value,
  );
}

/** Returns undefined if the task does not exist, or belongs to another caller or agent. */
export async function readTask(
  db: Db,
  taskId: string,
  who: { callerUserId: string; agentId: string },
): Promise<TaskRow | undefined> {
  if (!isStorable(taskId)) return undefined;
  const { rows } = await db.query<RawTask>({
    name: 'a2a-task',
    text: `SELECT ${COLUMNS} FROM ${FROM}
            WHERE t.task_id = $1 AND t.agent_id = $3 AND $2 IN (t.caller_user_id, t.buyer_user_id)`,
    values: [taskId, who.callerUserId, who.agentId],
  });
  return rows[0] && toTask(rows[0]);
}

/** Reads a task without checking its caller. Never use it to show a task to a caller. */
export async function readAnyTask(db: Db, taskId: string): Promise<TaskRow | undefined> {
  const { rows } = await db.query<RawTask>(`SELECT ${COLUMNS} FROM ${FROM} WHERE t.task_id = $1`, [taskId]);
  return rows[0] && toTask(rows[0]);
}

export interface TaskFilter {
  callerUserId: string;
  agentId: string;
  contextId?: string | undefined;
  state?: TaskState | undefined;
  /** Only tasks with an open question, or without one. */
  isAsking?: boolean | undefined;
  /** Only tasks whose state changed at this time or later. */
  after?: Date | undefined;
  /** Cursor: the time (µs since the epoch) and id of the last task of the previous page. */
  position?: readonly string[] | undefined;
  limit: number;
}

export type ListedTask = TaskRow & { position: string };

/** Lists tasks, most recent state change first, with the total of the filter. */
export async function listTasks(db: Db, filter: TaskFilter): Promise<{ rows: ListedTask[]; total: number }> {
  const where = `t.caller_user_id = $1 AND t.agent_id = $2 AND ($3::text IS NULL OR t.context_id = $3)
    AND ($4::text IS NULL OR t.state = $4) AND ($5::timestamptz IS NULL OR t.state_at >= $5)
    AND ($6::boolean IS NULL OR $6 = EXISTS (SELECT FROM job_questions q WHERE q.invocation_id = t.task_id AND q.is_open))`;
  const values = [
    filter.callerUserId,
    filter.agentId,
    filter.contextId ?? null,
    filter.state ?? null,
    filter.after ?? null,
    filter.isAsking ?? null,
  ];
  const micros = '(extract(epoch FROM t.state_at) * 1000000)::bigint';
  const page = await db.query<RawTask & { position: string }>(
    `SELECT ${COLUMNS}, ${micros}::text AS position FROM ${FROM}
      WHERE ${where} AND ($7::bigint IS NULL OR (${micros}, t.task_id) < ($7::bigint, $8))
      ORDER BY t.state_at DESC, t.task_id DESC LIMIT $9`,
    [...values, filter.position?.[0] ?? null, filter.position?.[1] ?? null, filter.limit],
  );
  const key = 't.caller_user_id = $1 AND t.agent_id = $2';
  const list = { from: 'a2a_tasks t', key, filter: where, order: 't.state_at DESC, t.task_id DESC' };
  return {
    rows: page.rows.map((row) => ({ ...toTask(row), position: row.position })),
    total: await countRows(db, list, values),
  };
}

export interface TaskEvent {
  seq: number;
  state: TaskState;
  at: Date;
}

/** Lists the events of a task after `seq`, in order. */
export async function readTaskEvents(db: Db, taskId: string, afterSeq: number): Promise<TaskEvent[]> {
  const { rows } = await db.query<TaskEvent>({
    name: 'a2a-task-events',
    text: 'SELECT seq, state, at FROM a2a_task_events WHERE task_id = $1 AND seq > $2 ORDER BY seq',
    values: [taskId, afterSeq],
  });
  return rows;
}

/** How far a task is: the number of its last event, and when the agent of its job last reported; 0 if it never did. */
export interface TaskMark {
  seq: number;
  heardAtMs: number;
}

/** Returns how far each of these tasks is. */
export async function readTaskMarks(db: Db, taskIds: string[]): Promise<Map<string, TaskMark>> {
  const { rows } = await db.query<{ task_id: string; last_seq: number; heard_at: Date | null }>({
    name: 'a2a-task-marks',
    text: `SELECT t.task_id, t.last_seq, j.heard_at FROM a2a_tasks t LEFT JOIN jobs j ON j.invocation_id = t.task_id
            WHERE t.task_id = ANY($1)`,
    values: [taskIds],
  });
  return new Map(
    rows.map((row) => [row.task_id, { seq: row.last_seq, heardAtMs: row.heard_at?.getTime() ?? 0 }]),
  );
}

/** Purges expired messages and rejected tasks. Returns the number of changed rows. */
export async function purgeTasks(db: Db, most: number): Promise<number> {
  const { rows } = await db.query<{ purged: number }>('SELECT a2a_purge($1) AS purged', [most]);
  return rows[0]?.purged ?? 0;
}

function toTask(row: RawTask): TaskRow {
  return {
    taskId: row.task_id,
    agentId: row.agent_id,
    isOfA2aAgent: row.of_a2a_agent,
    buyerUserId: row.buyer_user_id,
    contextId: row.context_id,
    traceId: row.trace_id,
    state: row.state,
    stateAt: row.state_at,
    lastSeq: row.last_seq,
    reason: row.reason,
    sealedMessage: row.message,
    createdAt: row.created_at,
    call: row.status === null ? null : toCall(row, row.status),
    job: toJob(row),
  };
}

function toJob({ taken_at, ends_at, heard_at, progress, job_message }: RawTask): JobProgress | null {
  if (!taken_at || !ends_at || !heard_at) return null;
  return { takenAt: taken_at, endsAt: ends_at, heardAt: heard_at, progress, sealedMessage: job_message };
}

function toCall(row: RawTask, status: InvocationStatus): TaskCallRow {
  return {
    status,
    version: row.version ?? '',
    errorCode: row.error_code,
    tokensIn: row.tokens_in ?? 0,
    tokensOut: row.tokens_out ?? 0,
    durationMs: row.duration_ms ?? 0,
    chargedUnits: unitsFromDatabase(row.charged_units ?? 0),
  };
}
