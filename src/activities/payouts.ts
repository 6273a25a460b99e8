import type { FileRequest, PayoutRuns, WrittenFile } from '../services/payouts/payout-runs';
import { beating } from './beating';

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

/** The steps of `weeklyPayouts` and its children, told to Temporal. What is thrown is a fault and is retried. */
export function createPayoutActivities(
  runs: Pick<PayoutRuns, 'listCandidates' | 'reserve' | 'writeFile' | 'settleFile'>,
) {
  return {
    listPayoutCandidates: runs.listCandidates,
    reservePayout: runs.reserve,
    writePayoutFile: (file: FileRequest): Promise<WrittenFile | null> => beating(() => runs.writeFile(file)),
    settlePayoutFile: (fileId: string): Promise<number> => beating(() => runs.settleFile(fileId)),
  };
}
