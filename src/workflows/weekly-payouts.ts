/**
 * The payouts of a Monday (docs/payouts.md), started by a Schedule on Monday 00:00 UTC. `asOf` is the nominal time,
 * also for a Monday that is made up for later. First, each developer's payout is reserved, with up to 200 children per
 * history. Then each bank method gets one file, and the payouts in it are settled. USDC payouts continue on their own
 * (usdc-payouts.ts), so that neither banks nor the next Monday wait for a chain.
 */
import {
  continueAsNew,
  executeChild,
  patched,
  proxyActivities,
  setHandler,
  startChild,
  defineQuery,
  workflowInfo,
  ParentClosePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { PayoutActivities } from '../activities/payouts';
import type { UsdcActivities } from '../activities/usdc';
import {
  mondayOf,
  type PayoutRunInput,
  type PayoutRunResult,
  type PayoutShare,
} from '../domain/payouts/payout';
import { FILE_METHODS } from '../domain/payouts/rails';
import type { TransferRun } from '../domain/payouts/transfer';
import type { developerPayout } from './developer-payout';
import type { usdcPayouts } from './usdc-payouts';

const progressQuery = defineQuery<{ asOf: string; reserved: number; files: string[] }>('progress');

const CHILDREN_AT_ONCE = 200;
/** Moves money, so it is retried until Postgres answers. */
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;
const { beginPayoutRun, endPayoutRun, listPayoutCandidates } = proxyActivities<PayoutActivities>({
  startToCloseTimeout: '10s',
  retry,
});
const { writePayoutFile, settlePayoutFile } = proxyActivities<PayoutActivities>({
  startToCloseTimeout: '60s',
  // Detects a worker that died.
  heartbeatTimeout: '10s',
  retry,
});
const { hasUsdcPayouts } = proxyActivities<UsdcActivities>({ startToCloseTimeout: '10s', retry });

export async function weeklyPayouts(input: PayoutRunInput): Promise<PayoutRunResult> {
  const asOf = input.asOf ?? nominalMonday();
  const attempt = input.attempt ?? 0;
  const state: PayoutRunResult = { asOf, reserved: input.reserved ?? 0, files: [] };
  setHandler(progressQuery, () => state);

  // Runs that began before runs had rows have none.
  const hasRow = patched('run-rows');
  if (hasRow && input.afterUserId === undefined) {
    const { onlyUserId } = input;
    await beginPayoutRun({ asOf, attempt, onlyUserId, workflowId: workflowInfo().workflowId });
  }
  const afterUserId = input.afterUserId ?? '';
  const developers =
    input.onlyUserId === undefined
      ? await listPayoutCandidates({ asOf, afterUserId, limit: CHILDREN_AT_ONCE })
      : [input.onlyUserId];
  const shares = developers.map((developerUserId) => ({ developerUserId, asOf, attempt }));
  const reserved = await Promise.all(shares.map(reserveShare));
  state.reserved += reserved.filter(Boolean).length;
  const last = developers.at(-1);
  if (last !== undefined && developers.length === CHILDREN_AT_ONCE) {
    await continueAsNew<typeof weeklyPayouts>({
      ...input,
      asOf,
      attempt,
      afterUserId: last,
      reserved: state.reserved,
    });
  }
  await startTransfers({ asOf, attempt });
  for (const method of FILE_METHODS) {
    const file = await writePayoutFile({ method, asOf, attempt });
    if (!file) continue;
    state.files.push(file.fileId);
    await settlePayoutFile(file.fileId);
  }
  if (hasRow) await endPayoutRun({ asOf, attempt });
  return state;
}

function reserveShare(share: PayoutShare): Promise<boolean> {
  const week = share.asOf.slice(0, 10);
  return executeChild<typeof developerPayout>('developerPayout', {
    workflowId: `${prefixOf()}payout/${share.developerUserId}/${week}${share.attempt > 0 ? `/${share.attempt}` : ''}`,
    args: [share],
    parentClosePolicy: ParentClosePolicy.TERMINATE,
  });
}

async function startTransfers(run: TransferRun): Promise<void> {
  if (!(await hasUsdcPayouts(run))) return;
  try {
    await startChild<typeof usdcPayouts>('usdcPayouts', {
      workflowId: `${prefixOf()}payout/usdc/${run.asOf.slice(0, 10)}/${run.attempt}`,
      args: [run],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Prefix of the task queues, so that stacks that share a namespace do not share children. */
function prefixOf(): string {
  return /^(.*)operations$/.exec(workflowInfo().taskQueue)?.[1] ?? '';
}

/** The Monday for which the Schedule fired, not the current time: a run that is made up for pays what was due then. */
function nominalMonday(): string {
  const { searchAttributes, startTime } = workflowInfo();
  const scheduled = searchAttributes['TemporalScheduledStartTime']?.[0];
  const at = scheduled instanceof Date ? scheduled : startTime;
  return new Date(mondayOf(at.getTime())).toISOString();
}
