import { Context } from '@temporalio/activity';
import type { FileRequest, PayoutRuns, WrittenFile } from '../services/payout-runs';

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

const HEARTBEAT_MS = 1_000;

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

/** What takes long with many payouts: a worker that died in it is noticed by its silence. */
async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
