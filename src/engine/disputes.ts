import { createHash } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { CASE_MOVED_ON, type DisputeResponse, type DisputeRuling } from '../domain/dispute-case';
import type { DisputeStatus } from '../domain/dispute-state';
import { MarketError } from '../domain/errors';
import type { Logger } from '../logger';
import { caseInputOf, type Dispute, type Disputes } from '../services/disputes';
import type { disputeCase } from '../workflows/dispute-case';
import { withDeadline } from './deadline';
import { AGENT_ID, BUYER_ID } from './start-invocation';

const START_DEADLINE_MS = 1_500;
/** A move needs a worker and Postgres; a caller waits this long for it. */
const UPDATE_DEADLINE_MS = 5_000;

export interface DisputeCasesDeps {
  /** Undefined while the engine is away. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  disputes: Pick<Disputes, 'markStarted' | 'listUnconfirmed'>;
  logger: Logger;
}

/** The workflows `dispute/<id>` as the API and the worker's sweep use them. */
export function createDisputeCases(deps: DisputeCasesDeps) {
  async function start(dispute: Dispute): Promise<void> {
    try {
      const client = deps.client();
      if (!client) throw new Error('the workflow engine is away');
      await withDeadline(client, START_DEADLINE_MS, () => begin(deps, client, dispute));
    } catch (error) {
      const { disputeId } = dispute;
      deps.logger.warn({ err: error, disputeId }, 'the case of a dispute could not be started yet');
    }
  }

  return {
    /** Starts the case of an open dispute. Never throws: when the engine is away, the worker's sweep starts it. */
    start,

    /** Starts the cases that were opened while the engine was away, and those that it has lost since. */
    async sweep(): Promise<void> {
      for (const dispute of await deps.disputes.listUnconfirmed()) await start(dispute);
    },

    /**
     * The developer's answer; returns the status of the case when it is written. Throws `invalid_state` when somebody
     * or the end of the window was faster, `engine_unavailable` when the engine does not answer in time: the answer
     * may still count then, and the same one again joins it.
     */
    respond: (dispute: Dispute, response: DisputeResponse, statement: string) =>
      ask(deps, dispute, { name: 'respond', move: response, text: statement }),

    /** The operator's decision; as `respond`. */
    resolve: (dispute: Dispute, ruling: DisputeRuling, reason: string) =>
      ask(deps, dispute, { name: 'resolve', move: ruling, text: reason }),
  };
}

export type DisputeCases = ReturnType<typeof createDisputeCases>;

async function begin(deps: DisputeCasesDeps, client: Client, dispute: Dispute): Promise<void> {
  await client.workflow.start<typeof disputeCase>('disputeCase', {
    workflowId: caseId(dispute.disputeId),
    taskQueue: deps.taskQueue,
    args: [caseInputOf(dispute)],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `${dispute.agentId}: ${dispute.reason}`,
    typedSearchAttributes: [
      { key: AGENT_ID, value: dispute.agentId },
      { key: BUYER_ID, value: dispute.buyerUserId },
    ],
  });
  await deps.disputes.markStarted(dispute.disputeId);
}

interface Move {
  name: 'respond' | 'resolve';
  move: DisputeResponse | DisputeRuling;
  /** What the move's `textId` names; makes the same move again the same update. */
  text: string;
}

/** Asks the workflow for a move; starts it first when the sweep has not, or when an operator has terminated it. */
async function ask(
  deps: DisputeCasesDeps,
  dispute: Dispute,
  { name, move, text }: Move,
): Promise<DisputeStatus> {
  const client = deps.client();
  if (!client) throw new MarketError('engine_unavailable');
  const handle = client.workflow.getHandle(caseId(dispute.disputeId));
  const update = () =>
    handle.executeUpdate<DisputeStatus, [DisputeResponse | DisputeRuling]>(name, {
      args: [move],
      updateId: updateIdOf(name, move.decision, text),
    });
  const updateOrBegin = async () => {
    try {
      return await update();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await begin(deps, client, dispute);
      return update();
    }
  };
  try {
    return await withDeadline(client, UPDATE_DEADLINE_MS, updateOrBegin);
  } catch (error) {
    throw refusalOf(error);
  }
}

function caseId(disputeId: string): string {
  return `dispute/${disputeId}`;
}

/** The same answer again is the same update. */
function updateIdOf(name: string, decision: string, text: string): string {
  return `${name}-${createHash('sha256').update(`${decision}\n${text}`).digest('hex').slice(0, 32)}`;
}

function refusalOf(error: unknown): MarketError {
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return new MarketError('invalid_state', { message: 'Too late: the case is decided.', cause: error });
  }
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === CASE_MOVED_ON) {
    return new MarketError('invalid_state', { message: `Too late: ${cause.message}.`, cause: error });
  }
  return new MarketError('engine_unavailable', {
    message:
      'The workflow engine did not answer in time. Read the dispute, and send the same again if it is unchanged.',
    cause: error,
  });
}
