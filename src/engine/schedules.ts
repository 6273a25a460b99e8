/**
 * The Schedules of the service. Their definition is code: every worker process makes what is missing at boot and
 * brings what is there up to date, any number of times. What an operator did (a pause, a note) stays.
 */
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';

const RETENTION_EVERY = '10m';
const ADVISORIES_EVERY = '6h';
/** A turn that the engine missed is made up for when it was missed by less. */
const CATCHUP_WINDOW = '10m';

export interface ScheduleNames {
  /** Prefix of ids, so that stacks can share a namespace. */
  prefix: string;
  /** The queue `operations`. */
  taskQueue: string;
}

export function retentionScheduleId(prefix: string): string {
  return `${prefix}retention-sweep`;
}

export function advisoryScheduleId(prefix: string): string {
  return `${prefix}advisory-sweep`;
}

/** Idempotent; throws when the engine does not answer. */
export async function ensureSchedules(client: Client, { prefix, taskQueue }: ScheduleNames): Promise<void> {
  const base = { type: 'startWorkflow' as const, args: [] as [], taskQueue };
  const retention = retentionScheduleId(prefix);
  await ensure(client, retention, RETENTION_EVERY, {
    ...base,
    workflowType: 'retentionSweep',
    workflowId: retention,
    workflowExecutionTimeout: '1h',
    staticSummary: 'Deletes expired answers',
  });
  const advisories = advisoryScheduleId(prefix);
  await ensure(client, advisories, ADVISORIES_EVERY, {
    ...base,
    workflowType: 'advisorySweep',
    workflowId: advisories,
    workflowExecutionTimeout: '5h',
    staticSummary: 'Reads the advisories again',
  });
}

async function ensure(
  client: Client,
  scheduleId: string,
  every: typeof RETENTION_EVERY | typeof ADVISORIES_EVERY,
  action: ScheduleOptionsStartWorkflowAction<Workflow>,
): Promise<void> {
  const spec = { intervals: [{ every }] };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW } as const;
  try {
    await client.schedule.create({ scheduleId, spec, policies, action });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update((previous) => ({ ...previous, spec, policies, action }));
  }
}
