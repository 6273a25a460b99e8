/** Drives on what a Monday left undone, from the rows (ADR 0057). */
import { type Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import type { Logger } from '../logger';
import type { OpenRun, PayoutRuns } from '../services/payouts/payout-runs';
import type { usdcPayouts } from '../workflows/usdc-payouts';
import type { weeklyPayouts } from '../workflows/weekly-payouts';
import { withDeadline } from './deadline';
import { type PayoutEngineDeps, payoutScheduleId, runOf } from './payouts';
import { eachPart } from './turn-parts';
import { transfersDetails } from '../domain/flow-details';

const DEADLINE_MS = 5_000;

type RunKey = Pick<OpenRun, 'asOf' | 'attempt'>;

export interface PayoutSweepDeps extends PayoutEngineDeps {
  runs: Pick<PayoutRuns, 'listOpen' | 'listMissed' | 'listOpenTransfers'>;
  logger: Logger;
}

/**
 * Returns the worker's sweep. It starts the workflows of runs that have more to do and that no workflow carries out,
 * because it failed, was terminated or canceled, or because Temporal's state was lost, and the runs of Mondays that
 * never began. Every step of a run is idempotent, so no share is paid twice. A run whose start fails or hangs is logged
 * and tried again in the next turn; it does not hold up the others.
 */
export function createPayoutSweep({ runs, logger, ...deps }: PayoutSweepDeps): () => Promise<void> {
  return async () => {
    const client = deps.client();
    if (!client) return;
    const each = async <Run extends RunKey>(all: readonly Run[], start: (run: Run) => Promise<void>) => {
      for (const run of all) {
        await withDeadline(client, DEADLINE_MS, () => start(run)).catch((err: unknown) =>
          logger.warn({ err, asOf: run.asOf, attempt: run.attempt }, 'could not start a payout run'),
        );
      }
    };
    const isMissed = 'a missed payout run is started';
    await eachPart(
      async () => each(await runs.listOpen(), (run) => startAgain(client, run)),
      async () => each(await missedRuns(client), (run) => startRun(client, run, isMissed)),
      async () => each(await runs.listOpenTransfers(), (run) => startTransfers(client, run)),
    );
  };

  async function startAgain(client: Client, run: OpenRun): Promise<void> {
    if (run.workflowId !== null && (await isRunning(client, run.workflowId))) return;
    await startRun(client, run, 'a payout run is started again');
  }

  async function startRun(client: Client, run: OpenRun, message: string): Promise<void> {
    const workflow = runOf(deps, run);
    logger.warn({ workflowId: workflow.workflowId, lost: run.workflowId }, message);
    await client.workflow.start<typeof weeklyPayouts>('weeklyPayouts', workflow);
  }

  async function startTransfers(client: Client, run: RunKey): Promise<void> {
    const asOf = run.asOf.toISOString();
    const { summary, details } = transfersDetails(asOf);
    await client.workflow.start<typeof usdcPayouts>('usdcPayouts', {
      workflowId: `${deps.prefix}payout/usdc/${asOf.slice(0, 10)}/${run.attempt}`,
      taskQueue: deps.taskQueue,
      args: [{ asOf, attempt: run.attempt }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: summary,
      staticDetails: details,
    });
  }

  /** Lists Mondays that nothing began; none while an operator has paused the Schedule. */
  async function missedRuns(client: Client): Promise<OpenRun[]> {
    const missed = await runs.listMissed();
    if (missed.length === 0 || (await isPaused(client, payoutScheduleId(deps.prefix)))) return [];
    return missed.map((asOf) => ({ asOf, attempt: 0, developerUserId: null, workflowId: null }));
  }
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function isPaused(client: Client, scheduleId: string): Promise<boolean> {
  try {
    const describe = () => client.schedule.getHandle(scheduleId).describe();
    return (await withDeadline(client, DEADLINE_MS, describe)).state.paused;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}
