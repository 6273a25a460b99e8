/**
 * The USDC payouts of a Monday (docs/payouts.md). Each address gets one transfer; transfers are sent one after another,
 * and each is followed until the chain has decided. A problem with one transfer does not delay the others.
 */
import {
  ActivityFailure,
  continueAsNew,
  defineQuery,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { UsdcActivities } from '../activities/usdc';
import type { TransferRun, TransferRunInput } from '../domain/payouts/transfer';
import { show } from './details';

const openQuery = defineQuery<string[]>('open');

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Longer than everything that a step may wait for: the node, the facilitator, a block. */
const STEP_TIMEOUT = '180s';
/** Detects a worker that died. */
const heartbeatTimeout = '10s';
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' } as const;
const { giveUpTransfers } = proxyActivities<UsdcActivities>({ startToCloseTimeout: '60s', retry });
const { advanceTransfer } = proxyActivities<UsdcActivities>({
  startToCloseTimeout: STEP_TIMEOUT,
  heartbeatTimeout,
  retry,
});
/** If the chain's node does not answer for a day, nothing is signed. */
const { prepareTransfers } = proxyActivities<UsdcActivities>({
  startToCloseTimeout: STEP_TIMEOUT,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout,
  retry,
});

export async function usdcPayouts(input: TransferRunInput): Promise<void> {
  let open = input.open ?? [];
  setHandler(openQuery, () => open);
  if (!input.open) open = await prepare({ asOf: input.asOf, attempt: input.attempt });
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const left: string[] = [];
    for (const transferId of open) {
      const summary = `transfer ${transferId}`;
      if (!(await advanceTransfer.executeWithOptions({ summary }, [transferId]))) left.push(transferId);
    }
    open = left;
    show({
      state:
        open.length === 0
          ? 'Done: the chain has decided about every transfer'
          : `Follows ${open.length} transfers until the chain has decided`,
      operator:
        open.length === 0 ? [] : ['`market payouts list --all --status processing` shows the payouts'],
    });
    if (open.length === 0) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof usdcPayouts>({ ...input, open });
    await sleep(pauseMs);
  }
}

async function prepare(run: TransferRun): Promise<string[]> {
  try {
    return await prepareTransfers(run);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return giveUpTransfers(run);
  }
}
