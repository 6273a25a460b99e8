/** Tasks as shown to their callers. Tasks of other callers are `not_found`. */
import { isTaskOver, type TaskState } from '../../domain/a2a/a2a-task';
import type { TaskJob, TaskOutput, TaskView } from '../../domain/a2a/a2a-wire';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import { type ListedTask, listTasks, readAnyTask, readTask, type TaskRow } from '../../stores/a2a/a2a-tasks';
import type { Db } from '../../stores/db';
import { type QuestionRow, readOpenQuestion } from '../../stores/jobs/job-questions';
import { jobContext, unsealQuestion } from '../calls/agent/job-acceptance';
import type { PlainType } from '../calls/agent/answer-format';
import type { StoredAnswers } from '../calls/invocation-answers';
import { answerParts } from './answer-parts';

export interface TaskViewsDeps {
  db: Db;
  cipher: Cipher;
  answers: StoredAnswers;
}

/** The caller, and the agent whose tasks are visible. */
export interface TaskScope {
  callerUserId: string;
  agentId: string;
}

export interface TaskQuery extends TaskScope {
  contextId?: string | undefined;
  state?: TaskState | undefined;
  /** Among WORKING tasks, those that wait for their caller, or those that do not. */
  isAsking?: boolean | undefined;
  after?: Date | undefined;
  /** The position of the last task of the previous page; empty for the first page. */
  position: readonly string[];
  limit: number;
  /** Whether to include results. Each costs one read. */
  artifacts: boolean;
}

export type ListedTaskView = TaskView & { position: readonly string[] };

/** Stores JSON text that is too large to be parsed. Returns a value that stands for it. */
export type HoldOutput = (json: Buffer) => unknown;

/** Parsing an output of this size takes about 1 ms. */
const LARGE_BYTES = 64 * 1024;
/** Of a large output, parts of up to this size are parsed. */
const SMALL_BYTES = 1024;

export function createTaskViews(deps: TaskViewsDeps) {
  async function toView(row: TaskRow, artifacts: boolean, hold?: HoldOutput): Promise<TaskView> {
    const { call } = row;
    return {
      taskId: row.taskId,
      contextId: row.contextId,
      buyerUserId: row.buyerUserId,
      traceId: row.traceId,
      state: row.state,
      stateAt: row.stateAt,
      lastSeq: row.lastSeq,
      message: await unsealMessage(deps.cipher, row),
      output: artifacts && row.state === 'COMPLETED' ? await outputOf(deps.answers, row, hold) : undefined,
      errorCode: call?.errorCode ?? (call?.status === 'disputed' ? 'already_disputed' : null),
      reason: row.reason,
      disputed: call?.status === 'disputed',
      job: isTaskOver(row.state) ? null : await jobOf(deps, row),
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

  async function get(scope: TaskScope, taskId: string, hold?: HoldOutput): Promise<TaskView> {
    const row = await readTask(deps.db, taskId, scope);
    if (!row) throw new MarketError('not_found');
    return toView(row, true, hold);
  }

  return {
    get,

    /** Reads a task for the delivery of its push notifications; undefined when the task is deleted. */
    async ofDelivery(taskId: string, hold: HoldOutput): Promise<TaskView | undefined> {
      const row = await readAnyTask(deps.db, taskId);
      return row && toView(row, true, hold);
    },

    /** Latest change first. A position is the time of the last change, in microseconds, and the id of a task. */
    async list(
      { artifacts, ...query }: TaskQuery,
      hold?: HoldOutput,
    ): Promise<{ rows: ListedTaskView[]; total: number }> {
      const { rows, total } = await listTasks(deps.db, query);
      const toListed = async (row: ListedTask) => ({
        ...(await toView(row, artifacts, hold)),
        position: [row.position, row.taskId],
      });
      return { rows: await Promise.all(rows.map(toListed)), total };
    },
  };
}

export type TaskViews = ReturnType<typeof createTaskViews>;

/** The sealing context of a task's message. */
export function taskMessageContext(taskId: string): Record<string, string> {
  return { purpose: 'a2a-message', task_id: taskId };
}

async function unsealMessage(cipher: Cipher, { taskId, sealedMessage }: TaskRow) {
  if (!sealedMessage) return null;
  const json = await cipher.unseal(sealedMessage, taskMessageContext(taskId));
  return JSON.parse(json.toString()) as Record<string, unknown>;
}

async function jobOf(
  { db, cipher }: Pick<TaskViewsDeps, 'db' | 'cipher'>,
  { taskId, job }: TaskRow,
): Promise<TaskJob | null> {
  if (!job) return null;
  const open = await readOpenQuestion(db, taskId);
  const text = open?.sealedQuestion && (await unsealQuestion(cipher, taskId, open.sealedQuestion));
  const question = open && text ? { ...pick(open), prompt: text.prompt, schema: text.schema } : null;
  const { takenAt, endsAt, heardAt, progress, sealedMessage } = job;
  const message = sealedMessage && (await cipher.unseal(sealedMessage, jobContext(taskId)));
  return { takenAt, endsAt, heardAt, progress, message: message && message.toString(), question };
}

const pick = ({ questionId, askedAt, expiresAt }: QuestionRow) => ({ questionId, askedAt, expiresAt });

async function outputOf(
  answers: StoredAnswers,
  { taskId, isOfA2aAgent }: TaskRow,
  hold?: HoldOutput,
): Promise<TaskOutput | null> {
  const { output, plain } = await answers.read(taskId);
  return output && taskOutput({ output, plain, isOfA2aAgent }, hold);
}

/** The answer of an agent as the output of its task. */
export function taskOutput(
  { output, plain, isOfA2aAgent }: { output: Buffer; plain: PlainType | null; isOfA2aAgent: boolean },
  hold?: HoldOutput,
): TaskOutput {
  const isLarge = hold !== undefined && output.length > LARGE_BYTES;
  const read = (json: Buffer): unknown =>
    isLarge && json.length > SMALL_BYTES ? hold(json) : (JSON.parse(json.toString()) as unknown);
  return {
    value: read(output),
    parts: isOfA2aAgent && !plain ? answerParts(output, read) : undefined,
    contentType: plain?.contentType ?? null,
    isBase64: plain?.isBase64 ?? false,
  };
}
