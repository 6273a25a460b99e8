import type { FileRequest, PayoutRuns, WrittenFile } from '../services/payouts/payout-runs';
import { withHeartbeats } from './heartbeat';

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

/** Activities of `weeklyPayouts` and its children. A thrown error is an internal fault; Temporal retries it. */
export function createPayoutActivities(
  runs: Pick<PayoutRuns, 'listCandidates' | 'reserve' | 'writeFile' | 'settleFile'>,
) {
  return {
    listPayoutCandidates: runs.listCandidates,
    reservePayout: runs.reserve,
    writePayoutFile: (file: FileRequest): Promise<WrittenFile | null> =>
      withHeartbeats(() => runs.writeFile(file)),
    settlePayoutFile: (fileId: string): Promise<number> => withHeartbeats(() => runs.settleFile(fileId)),
  };
}
