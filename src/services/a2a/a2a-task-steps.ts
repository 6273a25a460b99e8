/**
 * Performs a task in a worker: the steps of a call (docs/life-of-a-call.md) in one run, since the answer stays in the
 * process that received it. The input is read from Postgres, so any worker can take a task over. The guard of the hold
 * decides whether the agent may be called again. A worker that dies loses the answer, but never the money.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskStep } from '../../domain/a2a/a2a-task';
import { type HoldStep, isUndone } from '../../domain/calls/invocation-steps';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import { readTaskTenants, readTaskWork, type TaskWork } from '../../stores/a2a/a2a-task-work';
import type { DbPool } from '../../stores/db';
import { taskInputContext } from './a2a-tasks';
import type { InFlightCall, NewCall } from '../calls/agent/in-flight';
import type { CallPlaces } from '../calls/in-flight-limit';
import type { InvocationRegistry } from '../calls/invocation-registry';
import type { InvocationSteps } from '../calls/invocation-steps';
import type { ServingVersion, ServingVersions } from '../catalogue/serving-version-cache';

/** How long a held task may wait for a worker, and a repeatable task for another worker. */
export const TASK_LEASE_MS = 3_600_000;
const SETTLE_PAUSE_MS = 500;

export interface TaskStepsDeps {
  pool: DbPool;
  cipher: Cipher;
  registry: InvocationRegistry;
  steps: Pick<InvocationSteps, 'hold' | 'forward' | 'validate' | 'settle'>;
  servingVersions: Pick<ServingVersions, 'byId'>;
  /** The places of this process for tasks. */
  places: Pick<CallPlaces, 'enter'>;
  logger: Logger;
}

/** Returns the steps of a task that has its place, in one run. */
function createTaskRun(deps: TaskStepsDeps) {
  const { registry, steps } = deps;

  /** Returns the in-flight call of a task in this process; undefined when the task has already ended. */
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

  /** Settles a call, retrying while Postgres is unreachable, until the task is ended from outside. */
  async function settle(call: InFlightCall): Promise<TaskStep> {
    for (;;) {
      try {
        const settled = await steps.settle(call.invocationId);
        if (!isUndone(settled)) return { kind: 'ended', outcome: settled.outcome };
        return { kind: 'failed', code: 'engine_unavailable' };
      } catch (error) {
        if (call.ended.aborted) throw error;
        deps.logger.warn({ err: error, taskId: call.invocationId }, 'could not settle a task; retrying');
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

  return async function carryOut(taskId: string, signal: AbortSignal): Promise<TaskStep> {
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
      // After a fault the call stays open, so that the next attempt in this process continues from here.
    }
  };
}

export function createTaskSteps(deps: TaskStepsDeps) {
  const { registry, steps } = deps;
  const carryOut = createTaskRun(deps);

  /**
   * Takes a place for a task, and returns the function that gives it back; undefined if its accounts have their share. A
   * task that this process holds already has its place.
   */
  async function enter(taskId: string): Promise<(() => void) | undefined> {
    if (registry.find(taskId)) return () => undefined;
    const tenants = await readTaskTenants(deps.pool, taskId);
    if (!tenants) throw new Error(`no task ${taskId}`);
    return deps.places.enter(tenants)?.leave;
  }

  return {
    hold: (taskId: string): Promise<HoldStep> => steps.hold(taskId, TASK_LEASE_MS),

    /**
     * Calls the agent and settles. `failed` means that the task must be refunded unless its hold has been decided; `busy`,
     * that nothing was done, because the task's buyer, developer or unpaid tasks have their share of the places of this
     * process (ADR 0204). The signal aborts the call of the agent. Throws when Postgres is unreachable before the agent was
     * called.
     */
    async perform(taskId: string, signal: AbortSignal): Promise<TaskStep | 'busy'> {
      const leave = await enter(taskId);
      if (!leave) return 'busy';
      try {
        return await carryOut(taskId, signal);
      } finally {
        leave();
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
    held: false,
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
