/** The Schedule of the weekly payouts, and single runs that operators request. */
import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { MarketError } from '../domain/errors';
import type { PayoutRunInput } from '../domain/payouts/payout';
import type { OpenRun } from '../services/payouts/payout-runs';
import type { weeklyPayouts } from '../workflows/weekly-payouts';
import { withDeadline } from './deadline';
import { MONDAY_DETAILS } from '../domain/flow-details';

/** Mondays that were missed during an outage of the engine are made up for, in order, within this window. */
const CATCHUP_WINDOW = '365d';
const START_DEADLINE_MS = 1_500;

export interface PayoutEngineNames {
  /** Prefix of ids, so that several stacks can share a namespace. */
  prefix: string;
  /** The queue `operations`. */
  taskQueue: string;
}

export function payoutScheduleId(prefix: string): string {
  return `${prefix}weekly-payouts`;
}

/**
 * Creates or updates the Schedule of weekly payouts. Idempotent. Throws when the engine does not answer. Runs are
 * buffered, so a Monday's run waits for the previous one.
 */
export async function ensurePayoutSchedule(
  client: Client,
  { prefix, taskQueue }: PayoutEngineNames,
): Promise<void> {
  const scheduleId = payoutScheduleId(prefix);
  const spec = { calendars: [{ dayOfWeek: 'MONDAY' as const, hour: 0, minute: 0, second: 0 }] };
  const policies = { overlap: ScheduleOverlapPolicy.BUFFER_ALL, catchupWindow: CATCHUP_WINDOW };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: 'weeklyPayouts',
    workflowId: scheduleId,
    args: [{}] as [PayoutRunInput],
    taskQueue,
    staticSummary: MONDAY_SUMMARY,
    staticDetails: MONDAY_DETAILS,
  };
  try {
    await client.schedule.create<typeof weeklyPayouts>({ scheduleId, spec, policies, action });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update<typeof weeklyPayouts>((previous) => ({ ...previous, spec, policies, action }));
  }
}

export interface PayoutEngineDeps extends PayoutEngineNames {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
}

const MONDAY_SUMMARY = "Pays out developers' matured earnings";

/** A run, as a workflow of its own: not the one that the Schedule starts. */
export function runOf({ prefix, taskQueue }: PayoutEngineNames, run: OpenRun) {
  const asOf = run.asOf.toISOString();
  const { attempt, developerUserId } = run;
  const suffix = developerUserId === null ? '' : `/${developerUserId}`;
  const only = developerUserId === null ? {} : { onlyUserId: developerUserId };
  return {
    workflowId: `${payoutScheduleId(prefix)}/${asOf.slice(0, 10)}/${attempt}${suffix}`,
    taskQueue,
    args: [{ asOf, attempt, ...only }] as [PayoutRunInput],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    staticSummary: `${MONDAY_SUMMARY}, Monday ${asOf.slice(0, 10)}`,
    staticDetails: MONDAY_DETAILS,
  };
}

export function createPayoutEngine(deps: PayoutEngineDeps) {
  return {
    /** Starts a separate run that pays one developer again. Throws `engine_unavailable`. */
    async rerun(share: { developerUserId: string; asOf: Date; attempt: number }): Promise<void> {
      const client = deps.client();
      if (!client) throw new MarketError('engine_unavailable');
      const run = runOf(deps, { ...share, workflowId: null });
      const start = () => client.workflow.start<typeof weeklyPayouts>('weeklyPayouts', run);
      await withDeadline(client, START_DEADLINE_MS, start).catch((cause: unknown) => {
        throw new MarketError('engine_unavailable', { cause });
      });
    },
  };
}

export type PayoutEngine = ReturnType<typeof createPayoutEngine>;
