/**
 * Temporal Schedules, defined in code. Every worker process creates missing ones at startup and updates existing ones;
 * doing so repeatedly is safe. Changes by operators (a pause, a note) are preserved.
 */
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import {
  ADVISORIES_DETAILS,
  RATES_DETAILS,
  RETENTION_DETAILS,
  WARRANTIES_DETAILS,
} from '../domain/flow-details';

const RETENTION_EVERY = '10m';
const ADVISORIES_EVERY = '6h';
const RATES_EVERY = '1h';
/** A run that was missed during an outage of the engine is made up for within this window. */
const CATCHUP_WINDOW = '10m';
/** The same of a run that the next month does not make up for. */
const MONTHLY_CATCHUP_WINDOW = '20d';
/** An hour after midnight UTC, when the last calls of the month have ended or will soon. */
const FIRST_OF_MONTH = { dayOfMonth: 1, hour: 1, minute: 0, comment: 'the first of each month' } as const;

export interface ScheduleNames {
  /** Prefix of ids, so that several stacks can share a namespace. */
  prefix: string;
  /** The queue `operations`. */
  taskQueue: string;
  /** Whether a source of exchange rates is configured. Default: no. */
  fetchesRates?: boolean;
  /** Whether a source of advisories is configured; then the first run begins at once. Default: no. */
  fetchesAdvisories?: boolean;
}

export function retentionScheduleId(prefix: string): string {
  return `${prefix}retention-sweep`;
}

export function advisoryScheduleId(prefix: string): string {
  return `${prefix}advisory-sweep`;
}

export function warrantyScheduleId(prefix: string): string {
  return `${prefix}warranty-month`;
}

export function rateScheduleId(prefix: string): string {
  return `${prefix}exchange-rates`;
}

/** Creates or updates all Schedules. Idempotent. Throws when the engine does not answer. */
export async function ensureSchedules(
  client: Client,
  { prefix, taskQueue, fetchesRates, fetchesAdvisories = false }: ScheduleNames,
): Promise<void> {
  const base = { type: 'startWorkflow' as const, args: [] as [], taskQueue };
  const retention = retentionScheduleId(prefix);
  await ensure(client, retention, RETENTION_EVERY, {
    ...base,
    workflowType: 'retentionSweep',
    workflowId: retention,
    workflowExecutionTimeout: '1h',
    staticSummary: 'Deletes expired answers',
    staticDetails: RETENTION_DETAILS,
  });
  const advisories = advisoryScheduleId(prefix);
  const importing = {
    ...base,
    workflowType: 'advisorySweep',
    workflowId: advisories,
    workflowExecutionTimeout: '5h',
    staticSummary: 'Imports advisories',
    staticDetails: ADVISORIES_DETAILS,
  } as const;
  await ensure(client, advisories, ADVISORIES_EVERY, importing, fetchesAdvisories);
  const warranties = warrantyScheduleId(prefix);
  const deciding = {
    ...base,
    workflowType: 'warrantyMonth',
    workflowId: warranties,
    workflowExecutionTimeout: '7d',
    staticSummary: 'Decides the warranties of a month',
    staticDetails: WARRANTIES_DETAILS,
  } as const;
  await ensure(client, warranties, FIRST_OF_MONTH, deciding);
  const rates = rateScheduleId(prefix);
  if (!fetchesRates) return remove(client, rates);
  const fetching = {
    ...base,
    workflowType: 'exchangeRates',
    workflowId: rates,
    workflowExecutionTimeout: '1h',
    staticSummary: 'Fetches the exchange rate',
    staticDetails: RATES_DETAILS,
  } as const;
  await ensure(client, rates, RATES_EVERY, fetching, true);
}

async function ensure(
  client: Client,
  scheduleId: string,
  every: typeof RETENTION_EVERY | typeof ADVISORIES_EVERY | typeof RATES_EVERY | typeof FIRST_OF_MONTH,
  action: ScheduleOptionsStartWorkflowAction<Workflow>,
  startsAtOnce = false,
): Promise<void> {
  const isMonthly = typeof every !== 'string';
  const spec = isMonthly ? { calendars: [every] } : { intervals: [{ every }] };
  const catchupWindow = isMonthly ? MONTHLY_CATCHUP_WINDOW : CATCHUP_WINDOW;
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow } as const;
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
