/** Tasks as their callers read them. Those of others are `not_found`, like those that do not exist. */
import { isTaskOver, TASK_STATUS, type TaskState, type TaskStatus } from '../../domain/a2a/a2a-task';
import type { TaskOutput, TaskView } from '../../domain/a2a/a2a-wire';
import { defaultMessage, type ErrorCode, isRetryable, MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import { listTasks, readAnyTask, readTask, type TaskRow } from '../../stores/a2a/a2a-tasks';
import type { Db } from '../../stores/db';
import type { StoredAnswers } from '../calls/invocation-answers';

export interface TaskViewsDeps {
  db: Db;
  cipher: Cipher;
  answers: StoredAnswers;
}

/** Who asks, about tasks of which agent. */
export interface TaskScope {
  callerUserId: string;
  agentId: string;
}

export interface TaskQuery extends TaskScope {
  contextId?: string | undefined;
  state?: TaskState | undefined;
  after?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
  /** With results; they cost a read each. */
  artifacts: boolean;
}

/** The specification's form of a task. */
export interface PolledTask {
  task_id: string;
  status: TaskStatus;
  trace_id: string;
  output?: unknown;
  /** Of an output that is not JSON. */
  content_type?: string;
  output_expired?: true;
  usage?: { tokens_in: number; tokens_out: number; duration_ms: number; credits_charged: number };
  error?: { code: ErrorCode; message: string; retryable: boolean };
}

const POSITION = [/^[0-9]{1,18}$/, /^inv_[0-9a-f]{32}$/];

export function createTaskViews(deps: TaskViewsDeps) {
  async function toView(row: TaskRow, artifacts: boolean): Promise<TaskView> {
    const { call } = row;
    return {
      taskId: row.taskId,
      contextId: row.contextId,
      traceId: row.traceId,
      state: row.state,
      stateAt: row.stateAt,
      lastSeq: row.lastSeq,
      message: await openMessage(deps.cipher, row),
      output: artifacts && row.state === 'COMPLETED' ? await outputOf(deps.answers, row.taskId) : undefined,
      errorCode: call?.errorCode ?? (call?.status === 'disputed' ? 'already_disputed' : null),
      reason: row.reason,
      disputed: call?.status === 'disputed',
      usage:
        call && isTaskOver(row.state)
          ? {
              tokensIn: call.tokensIn,
              tokensOut: call.tokensOut,
              durationMs: call.durationMs,
              chargedCredits: unitsToCredits(call.chargedUnits),
            }
          : null,
    };
  }

  async function get(scope: TaskScope, taskId: string): Promise<TaskView> {
    const row = await readTask(deps.db, taskId, scope);
    if (!row) throw new MarketError('not_found');
    return toView(row, true);
  }

  return {
    get,

    async poll(scope: TaskScope, taskId: string): Promise<PolledTask> {
      return toPolled(await get(scope, taskId));
    },

    /** For telling a task's own endpoints; undefined when the task is gone. */
    async ofDelivery(taskId: string): Promise<TaskView | undefined> {
      const row = await readAnyTask(deps.db, taskId);
      return row && toView(row, true);
    },

    /** Latest change first. A cursor belongs to its query; with another it is 422. */
    async list(query: TaskQuery): Promise<{ tasks: TaskView[]; nextCursor: string; total: number }> {
      const { callerUserId, agentId, contextId, state, after, cursor, limit } = query;
      const scope = `a2a/${JSON.stringify([callerUserId, agentId, contextId, state, after])}`;
      const position = cursor ? decodeCursor(scope, cursor, POSITION) : undefined;
      if (cursor && !position) {
        const detail = [{ loc: ['query', 'pageToken'], msg: 'is not a token of this query', type: 'cursor' }];
        throw new MarketError('validation_failed', {
          message: 'pageToken is not one of this query.',
          detail,
        });
      }
      const filter = { callerUserId, agentId, contextId, state, after, position };
      const { tasks, total } = await listTasks(deps.db, { ...filter, limit: limit + 1 });
      const shown = tasks.slice(0, limit);
      const last = shown.at(-1);
      return {
        tasks: await Promise.all(shown.map((row) => toView(row, query.artifacts))),
        nextCursor: tasks.length > limit && last ? encodeCursor(scope, [last.position, last.taskId]) : '',
        total,
      };
    },
  };
}

export type TaskViews = ReturnType<typeof createTaskViews>;

/** The context under which a task's message is sealed. */
export function taskMessageContext(taskId: string): Record<string, string> {
  return { purpose: 'a2a-message', task_id: taskId };
}

async function openMessage(cipher: Cipher, { taskId, sealedMessage }: TaskRow) {
  if (!sealedMessage) return null;
  const json = await cipher.open(sealedMessage, taskMessageContext(taskId));
  return JSON.parse(json.toString()) as Record<string, unknown>;
}

async function outputOf(answers: StoredAnswers, taskId: string): Promise<TaskOutput | null> {
  const { output, plain } = await answers.read(taskId);
  return (
    output && { value: JSON.parse(output.toString()) as unknown, contentType: plain?.contentType ?? null }
  );
}

function toPolled(view: TaskView): PolledTask {
  const code = view.state === 'COMPLETED' ? null : (view.reason?.code ?? view.errorCode);
  const { usage } = view;
  return {
    task_id: view.taskId,
    status: TASK_STATUS[view.state],
    trace_id: view.traceId,
    ...(view.output && {
      output: view.output.value,
      ...(view.output.contentType !== null && { content_type: view.output.contentType }),
    }),
    ...(view.state === 'COMPLETED' && view.output === null && { output_expired: true as const }),
    ...(usage && {
      usage: {
        tokens_in: usage.tokensIn,
        tokens_out: usage.tokensOut,
        duration_ms: usage.durationMs,
        credits_charged: usage.chargedCredits,
      },
    }),
    ...(code !== null && {
      error: { code, message: view.reason?.message ?? defaultMessage(code), retryable: isRetryable(code) },
    }),
  };
}
