/**
 * Accepting and cancelling tasks (contract, "MCP, A2A"). A task is an ordinary call whose caller does not wait: it is
 * decided by the same statement, and what a worker needs to carry it out is written, encrypted, in that transaction.
 */
import { isTaskOver, rejectsTask, type TaskReason } from '../../domain/a2a/a2a-task';
import { MarketError } from '../../domain/errors';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId, newTraceId } from '../../kit/ids/ids';
import { insertTask, type NewTask, readTask } from '../../stores/a2a/a2a-tasks';
import type { Db, DbPool } from '../../stores/db';
import { refundInvocations } from '../../stores/calls/invocations';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { PushConfigs, SealedPush } from './a2a-push';
import { taskMessageContext, type TaskScope } from './a2a-task-views';
import type { Invocations, InvokeRequest } from '../calls/invocations';
import type { ServingVersions } from '../catalogue/serving-version-cache';

/** Larger messages of rejected tasks are not kept: a refusal costs its caller nothing. */
const MAX_REJECTED_BYTES = 8 * 1024;

export interface TaskRequest extends TaskScope {
  /** What the call is: whose wallet pays, input, ceiling, key. */
  call: Omit<InvokeRequest, 'agentId' | 'surface' | 'sink'>;
  /** Null: a new one. */
  contextId: string | null;
  /** The A2A message that it comes with; kept for the task's history. */
  message: Record<string, unknown> | null;
  /** Where changes of the task are to be told, besides. */
  push: SealedPush | null;
}

export interface AcceptedTask {
  taskId: string;
  traceId: string;
  /** Set for a task that is new and must be started. */
  start: { timeoutMs: number; priceUnits: number; buyerUserId: string } | null;
}

export interface A2aTasksDeps {
  pool: DbPool;
  cipher: Cipher;
  invocations: Pick<Invocations, 'beginKept'>;
  servingVersions: ServingVersions;
  pushConfigs: Pick<PushConfigs, 'insert'>;
}

export function createA2aTasks(deps: A2aTasksDeps) {
  const { pool } = deps;

  async function seal(request: TaskRequest, taskId: string): Promise<(tx: Db) => Promise<void>> {
    const task = await sealedTask(deps.cipher, request, taskId, null);
    return async (tx) => {
      await insertTask(tx, task);
      if (request.push) await deps.pushConfigs.insert(tx, taskId, request.push);
    };
  }

  return {
    /** The version that would serve a task. Throws `not_found`, and `a2a_not_allowed` when no agent may call it. */
    async requireInvocable(agentId: string, callerUserId: string): Promise<ServingVersion> {
      const version = await deps.servingVersions.ofAgent(agentId, callerUserId);
      if (!version.a2aInvocable) throw new MarketError('a2a_not_allowed');
      return version;
    },

    /** Accepts a task, or joins the earlier one with the same key; throws what refuses a call (`Invocations.begin`). */
    async accept(request: TaskRequest): Promise<AcceptedTask> {
      const call: InvokeRequest = { ...request.call, agentId: request.agentId, surface: 'a2a' };
      const kept = await deps.invocations.beginKept(call, (taskId) => seal(request, taskId));
      if (kept.kind === 'accepted') {
        const { version, priceUnits } = kept;
        const start = { timeoutMs: version.timeoutMs, priceUnits, buyerUserId: call.buyerUserId };
        return { taskId: kept.invocationId, traceId: call.traceId, start };
      }
      const earlier = await readTask(pool, kept.invocationId, request);
      // The key is a plain call's, or a task's of somebody who spends the same credits.
      if (!earlier) throw new MarketError('idempotency_key_reused');
      return { taskId: earlier.taskId, traceId: earlier.traceId, start: null };
    },

    /**
     * Writes a task that is refused, so that it can be read; it costs nothing. Undefined when the refusal is not an
     * answer to the task but an error of the request.
     */
    async reject(
      request: TaskRequest,
      error: MarketError,
      paymentRequired: Record<string, unknown> | undefined,
    ): Promise<string | undefined> {
      if (!rejectsTask(error.code)) return undefined;
      const taskId = newId('inv');
      const reason: TaskReason = {
        code: error.code,
        message: error.message,
        ...(error.detail && { detail: error.detail }),
        ...(paymentRequired && { paymentRequired }),
      };
      await insertTask(pool, await sealedTask(deps.cipher, request, taskId, reason));
      return taskId;
    },

    /**
     * Ends a task that is not over and refunds it. Throws `not_found`, and `invalid_state` when it is over.
     */
    async cancel(scope: TaskScope, taskId: string): Promise<void> {
      const task = await readTask(pool, taskId, scope);
      if (!task) throw new MarketError('not_found');
      const over = new MarketError('invalid_state', { message: 'The task is over.' });
      if (isTaskOver(task.state)) throw over;
      const [state] = await refundInvocations(pool, [
        { invocation_id: taskId, error_code: 'canceled', duration_ms: null },
      ]);
      if (state?.status !== 'failed' || state.errorCode !== 'canceled') throw over;
    },
  };
}

export type A2aTasks = ReturnType<typeof createA2aTasks>;

/** The context under which a task's input is sealed. */
export function taskInputContext(taskId: string): Record<string, string> {
  return { purpose: 'a2a-input', task_id: taskId };
}

async function sealedTask(
  cipher: Cipher,
  request: TaskRequest,
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
    sealedInput: reason ? null : await cipher.seal(call.input.body, taskInputContext(taskId)),
    sealedMessage: messageJson && (await cipher.seal(messageJson, taskMessageContext(taskId))),
    reason,
  };
}
