/**
 * The Schedules of the service. Their definition is code: every worker process makes what is missing at boot and
 * brings what is there up to date, any number of times. What an operator did (a pause, a note) stays.
 */
import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { retentionSweep } from '../workflows/retention-sweep';

const RETENTION_EVERY = '10m';
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

/** Idempotent; throws when the engine does not answer. */
export async function ensureSchedules(client: Client, { prefix, taskQueue }: ScheduleNames): Promise<void> {
  const scheduleId = retentionScheduleId(prefix);
  const spec = { intervals: [{ every: RETENTION_EVERY }] };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: 'retentionSweep',
    workflowId: scheduleId,
    args: [] as [],
    taskQueue,
    workflowExecutionTimeout: '1h' as const,
    staticSummary: 'Deletes expired answers',
  };
  try {
    await client.schedule.create<typeof retentionSweep>({ scheduleId, spec, policies, action });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update<typeof retentionSweep>((previous) => ({ ...previous, spec, policies, action }));
  }
}
