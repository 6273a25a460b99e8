/**
 * What disputes, slashes and notices of withdrawals share. A case is a row, which is written first, and a workflow, which
 * whoever wrote the row starts, or else the worker's sweep. A move in a case (an answer, a decision) is an update of its
 * workflow: written once, however often it is sent.
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
/** A move needs a worker and Postgres; a caller waits this long for it. */
const UPDATE_DEADLINE_MS = 5_000;

export interface CasesDeps {
  /** Undefined while the engine is away. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  logger: Logger;
}

/** The workflow of one case: its id is the case's, whoever starts it. */
export interface CaseWorkflow extends Pick<
  WorkflowOptions,
  'workflowId' | 'staticSummary' | 'typedSearchAttributes'
> {
  type: string;
  args: unknown[];
}

export interface CaseKind<Case> {
  /** What people call it. */
  noun: string;
  workflowOf(subject: Case): CaseWorkflow;
  markStarted(subject: Case): Promise<void>;
  /** What was written while the engine was away, and what has not been looked for lately. */
  listUnconfirmed(): Promise<Case[]>;
}

export interface CaseMove {
  /** Name of the update. */
  name: string;
  /** What the update takes. */
  move: unknown;
  /** The same text again is the same move. */
  text: string;
}

/** The cases of one kind as the API and the worker's sweep use them. */
export function createCases<Case>(deps: CasesDeps, kind: CaseKind<Case>) {
  async function begin(client: Client, subject: Case): Promise<void> {
    const { type, ...workflow } = kind.workflowOf(subject);
    await client.workflow.start<Workflow>(type, {
      ...workflow,
      taskQueue: deps.taskQueue,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    await kind.markStarted(subject);
  }

  /** Never throws: when the engine is away, the worker's sweep starts it. */
  async function start(subject: Case): Promise<void> {
    try {
      const client = deps.client();
      if (!client) throw new Error('the workflow engine is away');
      await withDeadline(client, START_DEADLINE_MS, () => begin(client, subject));
    } catch (error) {
      const { workflowId } = kind.workflowOf(subject);
      deps.logger.warn({ err: error, workflowId }, 'the workflow of a case could not be started yet');
    }
  }

  return {
    start,

    /** Starts what was written while the engine was away, and what it has lost since. */
    async sweep(): Promise<void> {
      for (const subject of await kind.listUnconfirmed()) await start(subject);
    },

    /**
     * Asks the workflow for a move and returns the status of the case when it is written; starts the workflow first when
     * the sweep has not, or when an operator has terminated it. Throws `invalid_state` when somebody or the end of the
     * window was faster, `engine_unavailable` when the engine does not answer in time: the move may still count then, and
     * the same one again joins it.
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
    return new MarketError('invalid_state', { message: `Too late: the ${noun} is decided.`, cause: error });
  }
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === CASE_MOVED_ON) {
    return new MarketError('invalid_state', { message: `Not now: ${cause.message}.`, cause: error });
  }
  return new MarketError('engine_unavailable', {
    message: `The workflow engine did not answer in time. Read the ${noun}, and send the same again if it is unchanged.`,
    cause: error,
  });
}
