/**
 * Accepting and cancelling tasks (contract, "MCP, A2A"). A task is a regular call whose caller does not wait. The same
 * statement decides about it, and its transaction stores, encrypted, what a worker needs to perform it.
 */
import { isTaskOver, rejectsTask, type TaskReason } from '../../domain/a2a/a2a-task';
import { MarketError } from '../../domain/errors';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { insertTask, readTask } from '../../stores/a2a/a2a-tasks';
import type { DbPool } from '../../stores/db';
import { cancelInvocation } from '../../stores/calls/invocations';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { PushConfigs } from './a2a-push';
import { sealedTask, type TaskRequest, type TaskSeals } from './a2a-task-seals';
import type { TaskScope } from './a2a-task-views';
import type { Invocations } from '../calls/invocations';
import type { ServingVersions } from '../catalogue/serving-version-cache';

export interface AcceptedTask {
  taskId: string;
  traceId: string;
  /** Set if the task is new and must be started. */
  start: { timeoutMs: number; priceUnits: number; buyerUserId: string } | null;
}

export interface A2aTasksDeps {
  pool: DbPool;
  cipher: Cipher;
  invocations: Pick<Invocations, 'beginKept'>;
  servingVersions: ServingVersions;
  seals: TaskSeals;
  pushConfigs: Pick<PushConfigs, 'insert'>;
}

export function createA2aTasks(deps: A2aTasksDeps) {
  const { pool } = deps;

  const { seal, countBytes } = deps.seals;

  return {
    /** The version that would serve a task. Throws `not_found`, or `a2a_not_allowed` if agents may not call it. */
    async requireInvocable(agentId: string, callerUserId: string): Promise<ServingVersion> {
      const version = await deps.servingVersions.ofAgent(agentId, callerUserId);
      if (!version.a2aInvocable) throw new MarketError('a2a_not_allowed');
      return version;
    },

    /**
     * Accepts a task, or joins the earlier one with the same key. Throws the refusals of `Invocations.begin`, and
     * `rate_limited` when the buyer has as many bytes stored as it may.
     */
    async accept(request: TaskRequest): Promise<AcceptedTask> {
      const { call } = request;
      const kept = await deps.invocations.beginKept(call, async (taskId, acceptance) => {
        const keep = await seal(request, taskId, acceptance);
        return async (tx, price) => {
          await keep(tx, price);
          if (request.push) await deps.pushConfigs.insert(tx, taskId, request.push);
        };
      });
      if (kept.kind === 'accepted') {
        const { version, priceUnits } = kept;
        const start = { timeoutMs: version.timeoutMs, priceUnits, buyerUserId: call.buyerUserId };
        return { taskId: kept.invocationId, traceId: call.traceId, start };
      }
      const earlier = await readTask(pool, kept.invocationId, request);
      // The key belongs to a plain call, or to a task of another caller with the same payer.
      if (!earlier) throw new MarketError('idempotency_key_reused');
      return { taskId: earlier.taskId, traceId: earlier.traceId, start: null };
    },

    /**
     * Stores a rejected task, so that the caller can read it; it costs nothing. Returns undefined for errors that are
     * request errors rather than answers to the task. Throws `rate_limited` as `accept` does.
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
      const task = await sealedTask(deps.cipher, request, taskId, reason);
      await countBytes(pool, task, true);
      await insertTask(pool, task);
      return taskId;
    },

    /** Cancels a running task and refunds it. Throws `not_found`, or `invalid_state` if it has already ended. */
    async cancel(scope: TaskScope, taskId: string): Promise<void> {
      const task = await readTask(pool, taskId, scope);
      if (!task) throw new MarketError('not_found');
      const over = new MarketError('invalid_state', { message: 'The task has already ended.' });
      if (isTaskOver(task.state)) throw over;
      if ((await cancelInvocation(pool, taskId)) !== 'canceled') throw over;
    },
  };
}

export type A2aTasks = ReturnType<typeof createA2aTasks>;
