import type { Client } from '@temporalio/client';
import type { Logger } from '../logger';
import type { RubricRollout } from '../services/verification/rubric-rollout';
import type { rubricRollout } from '../workflows/rubric-rollout';
import { withDeadline } from './deadline';
import { rolloutDetails } from '../domain/flow-details';

const START_DEADLINE_MS = 1_500;

export interface RubricRolloutsDeps {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  rollout: Pick<RubricRollout, 'unfinished'>;
  logger: Logger;
}

/**
 * Returns the sweep that starts the workflow `rubric-rollout/<version>` of each rubric that is announced or not rolled
 * out completely. The sweep throws when the engine does not answer.
 */
export function createRubricRollouts({ client: clientOf, taskQueue, rollout, logger }: RubricRolloutsDeps) {
  const begun = new Set<string>();
  return async (): Promise<void> => {
    const client = clientOf();
    if (!client) return;
    for (const { version, commentEndsAtMs } of await rollout.unfinished()) {
      if (begun.has(version)) continue;
      await withDeadline(client, START_DEADLINE_MS, () =>
        client.workflow.start<typeof rubricRollout>('rubricRollout', {
          workflowId: rolloutId(taskQueue, version),
          taskQueue,
          args: [{ version, commentEndsAtMs, commentEndsAt: new Date(commentEndsAtMs).toISOString() }],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: version,
          staticDetails: rolloutDetails(version, new Date(commentEndsAtMs).toISOString()),
        }),
      ).catch((error: unknown) => {
        if (!(error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError')) throw error;
      });
      begun.add(version);
      logger.info({ rubric: version }, 'started the rollout of a rubric');
    }
  };
}

/** Rubric versions are not unique across stacks in one namespace, so the id contains the task queue. */
export function rolloutId(taskQueue: string, version: string): string {
  return `${taskQueue}/rubric-rollout/${version}`;
}
