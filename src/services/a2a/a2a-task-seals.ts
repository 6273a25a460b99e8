/** What is stored with a task: its input for the worker, and its message for later readers, both encrypted. */
import type { TaskReason } from '../../domain/a2a/a2a-task';
import type { Cipher } from '../../kit/crypto/cipher';
import { newTraceId } from '../../kit/ids/ids';
import { insertTask, type NewTask } from '../../stores/a2a/a2a-tasks';
import { countStoredBytes } from '../../stores/calls/stored-bytes';
import type { Db } from '../../stores/db';
import type { KnownAcceptance } from '../calls/answers/acceptance';
import type { InvokeRequest } from '../calls/invocations';
import { quotaOf, storedFull, type StoredQuotas } from '../calls/stored-room';
import type { SealedPush } from './a2a-push';
import { taskMessageContext, type TaskScope } from './a2a-task-views';

/** Larger messages of rejected tasks are not stored, because rejected tasks cost their caller nothing. */
const MAX_REJECTED_BYTES = 8 * 1024;

const DAY_MS = 24 * 3_600_000;

export interface TaskRequest extends TaskScope {
  /** The call: payer, input, ceiling, key. */
  call: InvokeRequest;
  /** Null to create a new context. */
  contextId: string | null;
  /** The A2A message of the request, stored for the task's history. */
  message: Record<string, unknown> | null;
  /** An additional endpoint for changes of the task. */
  push: SealedPush | null;
}

export interface TaskSealsDeps {
  cipher: Cipher;
  quotas: StoredQuotas;
}

/** What is stored with a task. */
export function createTaskSeals(deps: TaskSealsDeps) {
  /** Counts what is stored with a task. Throws `rate_limited` if the buyer has its quota stored. */
  async function countBytes(db: Db, task: NewTask, isFree: boolean): Promise<void> {
    const bytes = (task.sealedInput?.length ?? 0) + (task.sealedMessage?.length ?? 0);
    const toKeep = { userId: task.buyerUserId, isFree, bytes, ttlMs: DAY_MS };
    if (!(await countStoredBytes(db, toKeep, quotaOf(deps.quotas, isFree)))) throw storedFull();
  }

  /**
   * Prepares what is stored with a task, and returns the function that writes it in the transaction that accepts the
   * call. That function throws `rate_limited` if the buyer has its quota stored.
   */
  async function seal(request: Omit<TaskRequest, 'push'>, taskId: string, acceptance?: KnownAcceptance) {
    const task = {
      ...(await sealedTask(deps.cipher, request, taskId, null)),
      sealedAcceptance: await sealedAcceptance(deps.cipher, taskId, acceptance),
    };
    return async (tx: Db, { priceUnits }: { priceUnits: number }) => {
      await countBytes(tx, task, priceUnits === 0);
      await insertTask(tx, task);
    };
  }

  return {
    seal,
    countBytes,

    /** The same for a call of another surface whose agent takes jobs. */
    sealCall: (call: InvokeRequest, taskId: string, acceptance?: KnownAcceptance) =>
      seal(
        {
          agentId: call.agentId,
          callerUserId: call.mandate?.item.caller_user_id ?? call.buyerUserId,
          call,
          contextId: null,
          message: null,
        },
        taskId,
        acceptance,
      ),
  };
}

export type TaskSeals = ReturnType<typeof createTaskSeals>;

/** The sealing context of a task's input. */
export function taskInputContext(taskId: string): Record<string, string> {
  return { purpose: 'a2a-input', task_id: taskId };
}

/** The sealing context of the tests of a task. */
export function taskAcceptanceContext(taskId: string): Record<string, string> {
  return { purpose: 'a2a-acceptance', task_id: taskId };
}

async function sealedAcceptance(
  cipher: Cipher,
  taskId: string,
  acceptance: KnownAcceptance | undefined,
): Promise<Buffer | null> {
  if (!acceptance) return null;
  return cipher.seal(Buffer.from(JSON.stringify(acceptance)), taskAcceptanceContext(taskId));
}

export async function sealedTask(
  cipher: Cipher,
  request: Omit<TaskRequest, 'push'>,
  taskId: string,
  reason: TaskReason | null,
): Promise<NewTask> {
  const { call, message } = request;
  const json = message && Buffer.from(JSON.stringify(message));
  const messageJson = reason && json && json.length > MAX_REJECTED_BYTES ? null : json;
  return {
    taskId,
    agentId: request.agentId,
    buyerUserId: call.buyerUserId,
    callerUserId: request.callerUserId,
    contextId: request.contextId ?? newTraceId(),
    traceId: call.traceId,
    hops: call.hops,
    inputType: call.input.contentType,
    sealedInput: reason ? null : await cipher.seal(call.input.body, taskInputContext(taskId)),
    sealedAcceptance: null,
    sealedMessage: messageJson && (await cipher.seal(messageJson, taskMessageContext(taskId))),
    reason,
  };
}
