/**
 * Runs tasks as workflows: `invocation/<task id>` with mode `task` on the queue `operations`. A task is accepted once
 * its row is written. If the engine does not confirm its start, this process tries a few times more, and the worker's
 * sweep after that, for up to an hour.
 */
import { setTimeout } from 'node:timers/promises';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { CallEnd } from '../domain/calls/call-end';
import { creditsText, unitsToCredits } from '../domain/ledger/money';
import type { Logger } from '../logger';
import type { TaskScope } from '../services/a2a/a2a-task-views';
import type { TaskRequest } from '../services/a2a/a2a-task-seals';
import type { A2aTasks, AcceptedTask } from '../services/a2a/a2a-tasks';
import type { TaskStarts, UnstartedTask } from '../services/a2a/a2a-task-starts';
import { errorCodeOf } from '../services/calls/call-refusal';
import type { invocation } from '../workflows/invocation';
import { withDeadline } from './deadline';
import { AGENT_ID, BUYER_ID } from './start-invocation';
import { CALL_DETAILS } from '../domain/flow-details';

const START_DEADLINE_MS = 1_500;
/**
 * After a start that was not confirmed, it is tried again after each of these, before the sweep of the worker does it.
 */
const START_AGAIN_MS: readonly number[] = [500, 1_000, 2_000, 4_000];
/** So many tasks wait to be started again at once; beyond it, the sweep starts them. */
const MAX_STARTED_AGAIN = 200;

export interface TaskEngineDeps {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  tasks: Pick<A2aTasks, 'accept' | 'cancel'>;
  starts: TaskStarts;
  /** Called for refused tasks. Accepted tasks report their outcome from the worker. */
  onEnd?: (end: CallEnd) => void;
  logger: Logger;
}

export function createTaskEngine(deps: TaskEngineDeps) {
  /** Returns false when the task could not be started. Never throws. */
  async function start(task: UnstartedTask): Promise<boolean> {
    try {
      await startWorkflow(deps.client(), deps.taskQueue, task);
      await deps.starts.markStarted(task.taskId);
      return true;
    } catch (error) {
      // The sweep started it meanwhile, and it has ended.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return true;
      deps.logger.warn({ err: error, taskId: task.taskId }, 'could not start a task; it is retried');
      return false;
    }
  }

  const startAgain = createStartAgain(start);

  async function begin(task: UnstartedTask): Promise<void> {
    if (!(await start(task))) void startAgain(task);
  }

  /** Cancels the workflow of a task that is already refunded, so that it ends sooner. Never throws. */
  async function stopWorkflow(taskId: string): Promise<void> {
    const client = deps.client();
    if (!client) return;
    try {
      await withDeadline(client, START_DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId(taskId)).cancel(),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) {
        deps.logger.info({ err: error, taskId }, 'could not cancel the workflow of a canceled task');
      }
    }
  }

  return {
    /** Accepts a task and starts it. Throws the refusals of `A2aTasks.accept`. */
    async submit(request: TaskRequest): Promise<AcceptedTask> {
      const startedAt = performance.now();
      const accepted = await deps.tasks.accept(request).catch((error: unknown) => {
        deps.onEnd?.(refusedAfter(startedAt, error));
        throw error;
      });
      const { taskId, traceId } = accepted;
      if (accepted.start) await begin({ taskId, traceId, agentId: request.agentId, ...accepted.start });
      return accepted;
    },

    /** Starts an accepted task. Never throws. */
    begin,

    /** Stops the workflow of a task that was cancelled and refunded. Never throws. */
    stop: stopWorkflow,

    /** Refunds a task at once and stops it. Throws `not_found`, `invalid_state`. */
    async cancel(scope: TaskScope, taskId: string): Promise<void> {
      await deps.tasks.cancel(scope, taskId);
      await stopWorkflow(taskId);
    },

    /**
     * Starts tasks that have no workflow, because the engine was unreachable or lost it. A loop of the worker calls it.
     */
    async sweep(): Promise<void> {
      for (const task of await deps.starts.listWaiting()) await start(task);
    },
  };
}

export type TaskEngine = ReturnType<typeof createTaskEngine>;

/**
 * Returns the function that starts again what was not confirmed. A start that arrived nevertheless is the same
 * workflow.
 */
function createStartAgain(start: (task: UnstartedTask) => Promise<boolean>) {
  let waiting = 0;
  return async (task: UnstartedTask): Promise<void> => {
    if (waiting >= MAX_STARTED_AGAIN) return;
    waiting += 1;
    for (const pauseMs of START_AGAIN_MS) {
      // Not all at once, when the engine comes back.
      await setTimeout(pauseMs * (0.5 + Math.random()), undefined, { ref: false });
      if (await start(task)) break;
    }
    waiting -= 1;
  };
}

function refusedAfter(startedAt: number, error: unknown): CallEnd {
  return {
    surface: 'a2a',
    outcome: 'refused',
    code: errorCodeOf(error),
    seconds: (performance.now() - startedAt) / 1_000,
    agentSeconds: null,
  };
}

function workflowId(taskId: string): string {
  return `invocation/${taskId}`;
}

async function startWorkflow(
  client: Client | undefined,
  taskQueue: string,
  task: UnstartedTask,
): Promise<void> {
  if (!client) throw new Error('the workflow engine is unreachable');
  const { taskId, agentId, buyerUserId } = task;
  const priceCredits = unitsToCredits(task.priceUnits);
  const started = () =>
    client.workflow.start<typeof invocation>('invocation', {
      workflowId: workflowId(taskId),
      taskQueue,
      args: [
        {
          invocationId: taskId,
          timeoutMs: task.timeoutMs,
          ownerQueue: taskQueue,
          traceId: task.traceId,
          priceCredits,
          mode: 'task',
        },
      ],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `${agentId} for ${buyerUserId}, ${creditsText(priceCredits)}, task`,
      staticDetails: CALL_DETAILS,
      typedSearchAttributes: [
        { key: AGENT_ID, value: agentId },
        { key: BUYER_ID, value: buyerUserId },
      ],
    });
  await withDeadline(client, START_DEADLINE_MS, started);
}
