/**
 * The Schedules of the service. Their definition is code: every worker process makes what is missing at boot and
 * brings what is there up to date, any number of times. What an operator did (a pause, a note) stays.
 */
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';

const RETENTION_EVERY = '10m';
const ADVISORIES_EVERY = '6h';
const RATES_EVERY = '1h';
/** A turn that the engine missed is made up for when it was missed by less. */
const CATCHUP_WINDOW = '10m';

export interface ScheduleNames {
  /** Prefix of ids, so that stacks can share a namespace. */
  prefix: string;
  /** The queue `operations`. */
  taskQueue: string;
  /** Whether there is a source of exchange rates; default: no. */
  fetchesRates?: boolean;
}

export function retentionScheduleId(prefix: string): string {
  return `${prefix}retention-sweep`;
}

export function advisoryScheduleId(prefix: string): string {
  return `${prefix}advisory-sweep`;
}

export function rateScheduleId(prefix: string): string {
  return `${prefix}exchange-rates`;
}

/** Idempotent; throws when the engine does not answer. */
export async function ensureSchedules(
  client: Client,
  { prefix, taskQueue, fetchesRates }: ScheduleNames,
): Promise<void> {
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
  const rates = rateScheduleId(prefix);
  if (!fetchesRates) return remove(client, rates);
  const fetching = {
    ...base,
    workflowType: 'exchangeRates',
    workflowId: rates,
    workflowExecutionTimeout: '1h',
    staticSummary: 'Asks for the rate of exchange',
  } as const;
  await ensure(client, rates, RATES_EVERY, fetching, true);
}

async function ensure(
  client: Client,
  scheduleId: string,
  every: typeof RETENTION_EVERY | typeof ADVISORIES_EVERY | typeof RATES_EVERY,
  action: ScheduleOptionsStartWorkflowAction<Workflow>,
  startsAtOnce = false,
): Promise<void> {
  const spec = { intervals: [{ every }] };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW } as const;
  try {
    const state = { triggerImmediately: startsAtOnce };
    await client.schedule.create({ scheduleId, spec, policies, action, state });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update((previous) => ({ ...previous, spec, policies, action }));
  }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
