import type { PayoutRuns } from '../services/payout-runs';

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

/** The steps of `weeklyPayouts` and its children, told to Temporal. What is thrown is a fault and is retried. */
export function createPayoutActivities(
  runs: Pick<PayoutRuns, 'listCandidates' | 'reserve' | 'writeFile' | 'settleFile'>,
) {
  return {
    listPayoutCandidates: runs.listCandidates,
    reservePayout: runs.reserve,
    writePayoutFile: runs.writeFile,
    settlePayoutFile: runs.settleFile,
  };
}
