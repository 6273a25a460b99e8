/**
 * The payouts of a Monday (docs/payouts.md), started by a Schedule on Monday 00:00 UTC. `asOf` is the nominal time,
 * also for a Monday that is made up for later. First, each developer's payout is reserved, with up to 200 children per
 * history. Then each bank method gets one file, and the payouts in it are settled. USDC payouts continue on their own
 * (usdc-payouts.ts), so that neither banks nor the next Monday wait for a chain.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  executeChild,
  log,
  patched,
  proxyActivities,
  setHandler,
  sleep,
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
import { FILE_METHODS, type FileMethod } from '../domain/payouts/rails';
import type { TransferRun } from '../domain/payouts/transfer';
import type { developerPayout } from './developer-payout';
import type { usdcPayouts } from './usdc-payouts';
import { show } from './details';
import { shareDetails, transfersDetails } from '../domain/flow-details';

const progressQuery = defineQuery<{ asOf: string; reserved: number; files: string[] }>('progress');

const CHILDREN_AT_ONCE = 200;
/** How long a page of children may delay the files. */
const SHARE_DEADLINE_MS = 300_000;
const SHARE_TRIES = 3;
const SHARE_PAUSE_MS = 2_000;
/** Moves money, so it is retried until Postgres answers. */
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;
const { beginPayoutRun, endPayoutRun, listPayoutCandidates } = proxyActivities<PayoutActivities>({
  startToCloseTimeout: '10s',
  retry,
});
const { writePayoutFile, settlePayoutFile } = proxyActivities<PayoutActivities>({
  startToCloseTimeout: '60s',
  // Then the run fails, and the worker's sweep starts it again: the next Monday does not wait for it.
  scheduleToCloseTimeout: '30m',
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
  showRun(state, 'Reserves the payouts of developers');

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
  const isApart = patched('shares-apart');
  let isComplete = input.isComplete ?? true;
  if (isApart) {
    const { reserved, missing } = await reserveApart(shares, input.shareDeadlineMs ?? SHARE_DEADLINE_MS);
    state.reserved += reserved;
    isComplete &&= missing === 0;
  } else {
    const reserved = await Promise.all(shares.map((share) => reserveShare(share)));
    state.reserved += reserved.filter(Boolean).length;
  }
  const last = developers.at(-1);
  if (last !== undefined && developers.length === CHILDREN_AT_ONCE) {
    await continueAsNew<typeof weeklyPayouts>({
      ...input,
      asOf,
      attempt,
      afterUserId: last,
      reserved: state.reserved,
      isComplete,
    });
  }
  showRun(state, 'Writes one payment file for each bank method, and settles it');
  await startTransfers({ asOf, attempt });
  if (isApart) await Promise.all(FILE_METHODS.map((method) => payByFile(method, state, { asOf, attempt })));
  else for (const method of FILE_METHODS) await payByFile(method, state, { asOf, attempt });
  showRun(
    state,
    isComplete
      ? 'Done'
      : 'Over, without the shares that failed or hang: the sweep of the worker starts it again',
  );
  // A run with missing shares stays open, and the worker's sweep starts it again.
  if (hasRow && isComplete) await endPayoutRun({ asOf, attempt });
  return state;
}

/** What an operator on call needs to know about the run. */
function showRun({ asOf, reserved, files }: PayoutRunResult, state: string): void {
  show({
    state: `${state} (Monday ${asOf.slice(0, 10)}, ${reserved} ${reserved === 1 ? 'payout' : 'payouts'} reserved)`,
    credits: ['payable → payout clearing, `payout/<payout>/reserve`, then → cash, `payout/<payout>/paid`'],
    operator: [
      ...files.map((fileId) => `\`market payouts file ${fileId}\` shows the file`),
      '`market payouts list --all` shows every payout; `market payouts retry <payout>` pays a failed one again',
    ],
    api: ['GET /v1/operator/payouts'],
  });
}

async function payByFile(method: FileMethod, state: PayoutRunResult, run: TransferRun): Promise<void> {
  const file = await writePayoutFile.executeWithOptions({ summary: `file for ${method}` }, [
    { method, ...run },
  ]);
  if (!file) return;
  state.files.push(file.fileId);
  await settlePayoutFile.executeWithOptions({ summary: `settle ${file.fileId}` }, [file.fileId]);
}

/**
 * Reserves the shares of one page. A share that fails is tried again; one that is still missing at the deadline does
 * not delay the others. Its child continues.
 */
async function reserveApart(
  shares: readonly PayoutShare[],
  deadlineMs: number,
): Promise<{ reserved: number; missing: number }> {
  let [reserved, ended, isOver] = [0, 0, false];
  const one = async (share: PayoutShare): Promise<void> => {
    for (let tries = 1; tries <= SHARE_TRIES && !isOver; tries++) {
      try {
        if (await reserveShare(share, ParentClosePolicy.ABANDON)) reserved += 1;
        ended += 1;
        return;
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        log.warn('a share of a payout run failed', { developer: share.developerUserId, tries, error });
        // Another run's child reserves the share: wait for it.
        if (error instanceof WorkflowExecutionAlreadyStartedError) tries = 0;
        await sleep(SHARE_PAUSE_MS);
      }
    }
  };
  let done = 0;
  const all = shares.map(async (share) => {
    await one(share).catch(() => undefined);
    done += 1;
  });
  await condition(() => done === all.length, deadlineMs);
  isOver = true;
  return { reserved, missing: shares.length - ended };
}

function reserveShare(
  share: PayoutShare,
  parentClosePolicy: ParentClosePolicy = ParentClosePolicy.TERMINATE,
): Promise<boolean> {
  const week = share.asOf.slice(0, 10);
  const { summary, details } = shareDetails(share.developerUserId, share.asOf);
  return executeChild<typeof developerPayout>('developerPayout', {
    workflowId: `${prefixOf()}payout/${share.developerUserId}/${week}${share.attempt > 0 ? `/${share.attempt}` : ''}`,
    args: [share],
    parentClosePolicy,
    staticSummary: summary,
    staticDetails: details,
  });
}

async function startTransfers(run: TransferRun): Promise<void> {
  if (!(await hasUsdcPayouts(run))) return;
  const { summary, details } = transfersDetails(run.asOf);
  try {
    await startChild<typeof usdcPayouts>('usdcPayouts', {
      workflowId: `${prefixOf()}payout/usdc/${run.asOf.slice(0, 10)}/${run.attempt}`,
      args: [run],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summary,
      staticDetails: details,
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
