/**
 * The steps of a task (docs/life-of-a-call.md) in worker processes. The input is read from Postgres, so any worker can
 * take a task over. The answer stays in the process that received it, which validates and settles. The guard of the
 * hold decides whether the agent may be called again. A worker that dies loses the answer, but never the money.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskStep } from '../../domain/a2a/a2a-task';
import { drive } from '../../domain/calls/course';
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../../domain/calls/invocation-steps';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import { readTaskTenants, readTaskWork, type TaskWork } from '../../stores/a2a/a2a-task-work';
import { pricedBy } from '../../stores/catalogue/serving-versions';
import type { DbPool } from '../../stores/db';
import { taskAcceptanceContext, taskInputContext } from './a2a-task-seals';
import type { InFlightCall, NewCall } from '../calls/agent/in-flight';
import type { KnownAcceptance } from '../calls/answers/acceptance';
import type { ChatSessions } from '../calls/chat-sessions';
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
  chatSessions: ChatSessions;
  /** The places of this process for tasks. */
  places: Pick<CallPlaces, 'enter'>;
  logger: Logger;
}

/**
 * Returns the function that finds the in-flight call of a task in this process, or takes the task over from Postgres.
 */
function createTaskCalls(deps: Omit<TaskStepsDeps, 'steps'>) {
  const { pool, cipher, registry, servingVersions } = deps;
  /** Undefined when the task has already ended. */
  return async (taskId: string): Promise<InFlightCall | undefined> => {
    const known = registry.find(taskId);
    if (known) return known;
    const work = await readTaskWork(pool, taskId);
    if (!work) throw new Error(`no task ${taskId}`);
    if (!work.sealedInput) return undefined;
    const input = await cipher.unseal(work.sealedInput, taskInputContext(taskId));
    const acceptance = await acceptanceOf(cipher, work);
    const version = pricedBy(await servingVersions.byId(work.versionId), work.isFormer);
    const conversation = version.kind === 'a2a' ? conversationOf(deps, work) : undefined;
    return (
      registry.find(taskId) ?? registry.open({ ...toCall(work, version, input), conversation, acceptance })
    );
  };
}

async function acceptanceOf(
  cipher: Cipher,
  { taskId, sealedAcceptance: sealed }: TaskWork,
): Promise<KnownAcceptance | undefined> {
  if (!sealed) return undefined;
  const json = await cipher.unseal(sealed, taskAcceptanceContext(taskId));
  return JSON.parse(json.toString()) as KnownAcceptance;
}

/** Returns the function that opens a task in this process, once the task has its place. */
export function createTaskOpener(deps: Omit<TaskStepsDeps, 'steps'>) {
  const { registry } = deps;
  const callOf = createTaskCalls(deps);

  /**
   * Takes a place for a task, and returns the function that gives it back; undefined if its accounts have their share.
   * A task that this process holds already has its place.
   */
  async function enter(taskId: string): Promise<(() => void) | undefined> {
    if (registry.find(taskId)) return () => undefined;
    const tenants = await readTaskTenants(deps.pool, taskId);
    if (!tenants) throw new Error(`no task ${taskId}`);
    return deps.places.enter(tenants)?.leave;
  }

  /** The call of a task with its place, which it keeps until it ends; undefined if the task has ended. */
  return async function open(taskId: string): Promise<InFlightCall | 'busy' | undefined> {
    const leave = await enter(taskId);
    if (!leave) return 'busy';
    const call = await callOf(taskId).catch((fault: unknown) => {
      leave();
      throw fault;
    });
    if (call) void call.done.then(leave);
    else leave();
    return call;
  };
}

/** Returns the step that calls the agent of a task, once the task has its place. */
function createTaskForward(deps: TaskStepsDeps) {
  const { steps } = deps;
  const open = createTaskOpener(deps);

  /**
   * Calls the agent. After a fault the call stays open, so that the next attempt in this process continues from here.
   * The signal hangs up on the agent.
   */
  return async (taskId: string, signal: AbortSignal): Promise<ForwardStep | 'busy'> => {
    const call = await open(taskId);
    if (call === 'busy') return 'busy';
    if (!call) return { kind: 'failed', code: 'engine_unavailable', durationMs: 0 };
    const hangUp = () => call.finish({ ok: false, code: 'canceled' });
    signal.addEventListener('abort', hangUp, { once: true });
    if (signal.aborted) hangUp();
    try {
      const step = await steps.forward(taskId);
      return signal.aborted && step.kind === 'failed' ? { ...step, code: 'canceled' } : step;
    } finally {
      signal.removeEventListener('abort', hangUp);
    }
  };
}

export function createTaskSteps(deps: TaskStepsDeps) {
  const { registry, steps, logger } = deps;
  const forward = createTaskForward(deps);

  /** Settles a call, retrying while Postgres is unreachable, until the task is ended from outside. */
  async function settleAtLast(taskId: string): Promise<SettleStep> {
    const ended = registry.find(taskId)?.ended;
    for (;;) {
      try {
        return await steps.settle(taskId);
      } catch (error) {
        if (!ended || ended.aborted) throw error;
        logger.warn({ err: error, taskId }, 'could not settle a task; retrying');
        await sleep(SETTLE_PAUSE_MS, undefined, { signal: ended });
      }
    }
  }

  return {
    hold: (taskId: string): Promise<HoldStep> => steps.hold(taskId, TASK_LEASE_MS),

    /**
     * Calls the agent of a task, whose answer then stays in this process. `busy`: nothing was done, because the task's
     * buyer, developer or unpaid tasks have their share of the places of this process (ADR 0204). The signal aborts the
     * call of the agent. Throws when Postgres is unreachable before the agent was called.
     */
    forward,
    /** Validates the answer; `elsewhere` if this process does not hold it. */
    validate: (taskId: string): Promise<ValidateStep> => steps.validate(taskId),
    /** Settles the call; `elsewhere` if this process does not hold the answer. */
    settle: (taskId: string): Promise<SettleStep> => steps.settle(taskId),

    /**
     * The three steps in one run, for tasks whose workflow began with an earlier release. `failed` means that the task
     * must be refunded unless its hold has been decided.
     */
    async perform(taskId: string, signal: AbortSignal): Promise<TaskStep | 'busy'> {
      const forwarded = await forward(taskId, signal);
      if (forwarded === 'busy') return 'busy';
      const next = await drive(
        {
          hold: () => steps.hold(taskId, TASK_LEASE_MS),
          forward: () => Promise.resolve(forwarded),
          validate: () => steps.validate(taskId),
          settle: () => settleAtLast(taskId),
        },
        { step: 'forward', at: 'owner' },
      );
      if (next.kind === 'done') return { kind: 'ended', outcome: next.outcome };
      return { kind: 'failed', code: next.kind === 'refund' ? next.code : 'engine_unavailable' };
    },
  };
}

export type TaskSteps = ReturnType<typeof createTaskSteps>;

/** The id by which an A2A agent knows the conversation of a task: callers with the same `contextId` share none. */
function conversationOf(
  { chatSessions }: Pick<TaskStepsDeps, 'chatSessions'>,
  { agentId, callerUserId, contextId }: TaskWork,
): string {
  const turn = { buyerUserId: callerUserId, agentId, sessionId: contextId, idempotencyKey: undefined };
  return chatSessions.of(turn).agentSessionId;
}

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
    inputType: work.inputType ?? 'application/json',
    keyed: true,
    task: true,
    keepsBodies: work.keepsBodies,
    sink: null,
    gone: null,
  };
}
