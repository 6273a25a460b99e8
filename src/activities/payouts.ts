import { ApplicationFailure } from '@temporalio/common';
import { MarketError } from '../domain/errors';
import type { PayoutRunBegin, PayoutShare } from '../domain/payouts/payout';
import type { FileRequest, PayoutRuns, WrittenFile } from '../services/payouts/payout-runs';
import { withHeartbeats } from './heartbeat';

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

/**
 * Activities of `weeklyPayouts` and its children. A `MarketError` ends the workflow; any other error is an internal
 * fault, and Temporal retries it.
 */
export function createPayoutActivities(
  runs: Pick<PayoutRuns, 'begin' | 'end' | 'listCandidates' | 'reserve' | 'writeFile' | 'settleFile'>,
) {
  return {
    beginPayoutRun: (run: PayoutRunBegin) => refusable(() => runs.begin(run)),
    endPayoutRun: runs.end,
    listPayoutCandidates: runs.listCandidates,
    reservePayout: (share: PayoutShare) => refusable(() => runs.reserve(share)),
    writePayoutFile: (file: FileRequest): Promise<WrittenFile | null> =>
      withHeartbeats(() => runs.writeFile(file)),
    settlePayoutFile: (fileId: string): Promise<number> => withHeartbeats(() => runs.settleFile(fileId)),
  };
}

async function refusable<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof MarketError) throw ApplicationFailure.nonRetryable(error.message, error.code);
    throw error;
  }
}
