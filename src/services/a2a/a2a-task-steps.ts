/**
 * Carrying out a task in a worker: the steps of a call (engine.md §2) in one go, since the answer does not leave the
 * process that got it. The input comes from Postgres, so that any worker can take a task over; whether the agent may
 * be asked again is decided by the guard of the hold. A worker that dies loses the answer, never the money.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskStep } from '../../domain/a2a/a2a-task';
import { type HoldStep, isUndone } from '../../domain/calls/invocation-steps';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import { readTaskWork, type TaskWork } from '../../stores/a2a/a2a-task-work';
import type { DbPool } from '../../stores/db';
import { taskInputContext } from './a2a-tasks';
import type { InFlightCall, InvocationRegistry, NewCall } from '../calls/invocation-registry';
import type { InvocationSteps } from '../calls/invocation-steps';
import type { ServingVersion, ServingVersions } from '../catalogue/serving-version-cache';

/** A task that has its hold waits so long for a worker, and a repeatable one for another worker. */
export const TASK_LEASE_MS = 3_600_000;
const SETTLE_PAUSE_MS = 500;

export interface TaskStepsDeps {
  pool: DbPool;
  cipher: Cipher;
  registry: InvocationRegistry;
  steps: Pick<InvocationSteps, 'hold' | 'forward' | 'validate' | 'settle'>;
  servingVersions: Pick<ServingVersions, 'byId'>;
  logger: Logger;
}

export function createTaskSteps(deps: TaskStepsDeps) {
  const { registry, steps } = deps;

  /** The call as this process holds it; undefined when the task has ended meanwhile. */
  async function open(taskId: string): Promise<InFlightCall | undefined> {
    const known = registry.find(taskId);
    if (known) return known;
    const work = await readTaskWork(deps.pool, taskId);
    if (!work) throw new Error(`no task ${taskId}`);
    if (!work.sealedInput) return undefined;
    const input = await deps.cipher.open(work.sealedInput, taskInputContext(taskId));
    const version = await deps.servingVersions.byId(work.versionId);
    return registry.find(taskId) ?? registry.open(toCall(work, version, input));
  }

  /** Money that is due is taken, however long Postgres is away, unless somebody ends the task. */
  async function settle(call: InFlightCall): Promise<TaskStep> {
    for (;;) {
      try {
        const settled = await steps.settle(call.invocationId);
        if (!isUndone(settled)) return { kind: 'ended', outcome: settled.outcome };
        return { kind: 'failed', code: 'engine_unavailable' };
      } catch (error) {
        if (call.ended.aborted) throw error;
        deps.logger.warn({ err: error, taskId: call.invocationId }, 'a task could not be settled yet');
        await sleep(SETTLE_PAUSE_MS, undefined, { signal: call.ended });
      }
    }
  }

  async function run(call: InFlightCall): Promise<TaskStep> {
    const { invocationId } = call;
    const forwarded = await steps.forward(invocationId);
    if (forwarded.kind === 'resolved') return { kind: 'ended', outcome: forwarded.outcome };
    if (forwarded.kind === 'failed') return { kind: 'failed', code: forwarded.code };
    const validated = await steps.validate(invocationId);
    if (validated.kind === 'failed') return { kind: 'failed', code: validated.code };
    return settle(call);
  }

  return {
    hold: (taskId: string): Promise<HoldStep> => steps.hold(taskId, TASK_LEASE_MS),

    /**
     * Calls the agent and settles. `failed`: the task is to be refunded, unless its hold says otherwise by then. The
     * signal hangs up on the agent. Throws when Postgres is away before the agent was asked.
     */
    async perform(taskId: string, signal: AbortSignal): Promise<TaskStep> {
      const call = await open(taskId);
      if (!call) return { kind: 'failed', code: 'engine_unavailable' };
      const hangUp = () => call.finish({ ok: false, code: 'canceled' });
      signal.addEventListener('abort', hangUp, { once: true });
      if (signal.aborted) hangUp();
      try {
        const step = await run(call);
        return signal.aborted && step.kind === 'failed' ? { kind: 'failed', code: 'canceled' } : step;
      } finally {
        signal.removeEventListener('abort', hangUp);
        // A fault leaves the call open: the next attempt in this process goes on where this one stopped.
      }
    },
  };
}

export type TaskSteps = ReturnType<typeof createTaskSteps>;

function toCall(work: TaskWork, version: ServingVersion, input: Buffer): NewCall {
  return {
    invocationId: work.taskId,
    buyerUserId: work.buyerUserId,
    version,
    priceUnits: work.priceUnits,
    free: work.free,
    ceilingCredits: work.ceilingCredits,
    tokensIn: null,
    traceId: work.traceId,
    hops: work.hops,
    input,
    inputType: 'application/json',
    keyed: true,
    task: true,
    sink: null,
    gone: null,
  };
}
