import type { Client } from '@temporalio/client';
import {
  REPROBE_CLOCKS,
  REVERIFY_AFTER_DAYS,
  type VerificationReason,
  type VerificationTriggerSignal,
} from '../domain/verification/verification';
import type { Logger } from '../logger';
import type { agentVerification } from '../workflows/agent-verification';
import { AGENT_ID } from './start-invocation';
import { verificationDetails } from '../domain/flow-details';

const SIGNAL_DEADLINE_MS = 1_500;

export interface VerificationTriggerDeps {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  /** Records that verification of a version was requested, so that the sweep does not request it again. */
  markTriggered: (versionId: string) => Promise<void>;
  /** How soon agents are re-probed after a run. */
  clock: keyof typeof REPROBE_CLOCKS;
  logger: Logger;
}

export interface VerificationRequest {
  agentId: string;
  versionId: string;
  reason: VerificationReason;
}

/**
 * Requests the verification of an agent. Call it after the transaction that submitted the version. `ask` never throws
 * and takes at most 1.5 s. If the engine is unreachable, the version stays submitted and the worker's sweep retries.
 */
export function createVerificationTrigger(deps: VerificationTriggerDeps) {
  async function signal(client: Client, { agentId, versionId, reason }: VerificationRequest): Promise<void> {
    await client.workflow.signalWithStart<typeof agentVerification, [VerificationTriggerSignal]>(
      'agentVerification',
      {
        workflowId: `verification/${agentId}`,
        taskQueue: deps.taskQueue,
        args: [{ agentId, reverifyAfterDays: REVERIFY_AFTER_DAYS, reprobes: REPROBE_CLOCKS[deps.clock] }],
        signal: 'trigger',
        signalArgs: [{ reason, versionId }],
        staticSummary: agentId,
        staticDetails: verificationDetails(agentId, REVERIFY_AFTER_DAYS),
        typedSearchAttributes: [{ key: AGENT_ID, value: agentId }],
      },
    );
  }

  return {
    /** Returns false when the request could not be delivered yet. */
    async ask(request: VerificationRequest): Promise<boolean> {
      try {
        const client = deps.client();
        if (!client) throw new Error('the workflow engine is unreachable');
        await client.withDeadline(Date.now() + SIGNAL_DEADLINE_MS, () => signal(client, request));
        await deps.markTriggered(request.versionId);
        return true;
      } catch (error) {
        deps.logger.warn(
          { err: error, agentId: request.agentId },
          'could not request a verification; the sweep retries',
        );
        return false;
      }
    },
  };
}

export type VerificationTrigger = ReturnType<typeof createVerificationTrigger>;
