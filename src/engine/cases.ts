/**
 * The common part of disputes, slashes and withdrawals. A case is a row, which is written first, and a workflow. The
 * workflow is started by the process that wrote the row or, if that fails, by the worker's sweep. A move in a case (an
 * answer, a decision) is an update of its workflow, and is recorded once no matter how often it is sent.
 */
import { createHash } from 'node:crypto';
import {
  type Client,
  type WorkflowOptions,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import { CASE_MOVED_ON } from '../domain/disputes/case-moves';
import { MarketError } from '../domain/errors';
import type { Logger } from '../logger';
import { withDeadline } from './deadline';

const START_DEADLINE_MS = 1_500;
/** How long a caller waits for a move. A move needs a worker and Postgres. */
const UPDATE_DEADLINE_MS = 5_000;

export interface CasesDeps {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  logger: Logger;
}

/** Start options of a case's workflow. The workflow id is derived from the case, so it is started at most once. */
export interface CaseWorkflow extends Pick<
  WorkflowOptions,
  'workflowId' | 'staticSummary' | 'staticDetails' | 'typedSearchAttributes'
> {
  type: string;
  args: unknown[];
}

export interface CaseKind<Case> {
  /** Name of the case in messages, such as `dispute`. */
  noun: string;
  workflowOf(subject: Case): CaseWorkflow;
  markStarted(subject: Case): Promise<void>;
  /** Takes cases whose workflow was never confirmed to run, and open ones whose last check was long ago. */
  claimUnconfirmed(): Promise<Case[]>;
}

export interface CaseMove {
  /** Argument of the update. */
  name: string;
  /** What the update takes. */
  move: unknown;
  /** Text that identifies the move: the same text joins the earlier update instead of repeating it. */
  text: string;
}

/** Returns the operations on cases of one kind, for the API and the worker's sweep. */
export function createCases<Case>(deps: CasesDeps, kind: CaseKind<Case>) {
  async function launch(client: Client, subject: Case): Promise<void> {
    const { type, ...workflow } = kind.workflowOf(subject);
    await client.workflow.start<Workflow>(type, {
      ...workflow,
      taskQueue: deps.taskQueue,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  }

  const begin = (client: Client, subject: Case) =>
    launch(client, subject).then(() => kind.markStarted(subject));

  /** Starts the workflow of a case. Never throws: if Temporal is unreachable, the worker's sweep starts it later. */
  async function start(subject: Case, how = begin): Promise<void> {
    try {
      const client = deps.client();
      if (!client) throw new Error('the workflow engine is unreachable');
      await withDeadline(client, START_DEADLINE_MS, () => how(client, subject));
    } catch (error) {
      const { workflowId } = kind.workflowOf(subject);
      deps.logger.warn(
        { err: error, workflowId },
        'could not start the workflow of a case; the sweep retries',
      );
    }
  }

  return {
    start: (subject: Case) => start(subject),

    /**
     * Starts the workflows that are missing, for example because Temporal was unreachable. A case whose start fails
     * waits behind the others until its next turn.
     */
    async sweep(): Promise<void> {
      if (!deps.client()) return;
      for (const subject of await kind.claimUnconfirmed()) await start(subject, launch);
    },

    /**
     * Sends a move to the case's workflow and returns the status of the case once the move is recorded. Starts the
     * workflow first if it does not exist yet, or if an operator terminated it. Throws `invalid_state` when another
     * move or the end of the window came first. Throws `engine_unavailable` when the engine does not answer in time:
     * the move may still take effect, and sending it again joins it.
     */
    async ask<Status>(subject: Case, { name, move, text }: CaseMove): Promise<Status> {
      const client = deps.client();
      if (!client) throw new MarketError('engine_unavailable');
      const handle = client.workflow.getHandle(kind.workflowOf(subject).workflowId);
      const updateId = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      const update = () => handle.executeUpdate<Status, [unknown]>(name, { args: [move], updateId });
      const updateOrBegin = async () => {
        try {
          return await update();
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
          await begin(client, subject);
          return update();
        }
      };
      try {
        return await withDeadline(client, UPDATE_DEADLINE_MS, updateOrBegin);
      } catch (error) {
        throw refusalOf(kind.noun, error);
      }
    },
  };
}

function refusalOf(noun: string, error: unknown): MarketError {
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return new MarketError('invalid_state', {
      message: `Too late: the ${noun} is already decided.`,
      cause: error,
    });
  }
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === CASE_MOVED_ON) {
    return new MarketError('invalid_state', { message: `Not possible now: ${cause.message}.`, cause: error });
  }
  return new MarketError('engine_unavailable', {
    message: `The workflow engine did not answer in time. Read the ${noun} and, if it is unchanged, send the same request again.`,
    cause: error,
  });
}
