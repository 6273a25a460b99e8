import type { TransferRun } from '../domain/payouts/transfer';
import type { UsdcTransfers } from '../services/payouts/usdc-transfers';
import { beating } from './beating';

export type UsdcActivities = ReturnType<typeof createUsdcActivities>;

/** The steps of `usdcPayouts`, told to Temporal: ids only. What is thrown is a fault and is retried. */
export function createUsdcActivities(transfers: UsdcTransfers) {
  return {
    hasUsdcPayouts: transfers.hasWork,
    prepareTransfers: (run: TransferRun): Promise<string[]> => beating(() => transfers.prepare(run)),
    advanceTransfer: (transferId: string): Promise<boolean> => beating(() => transfers.advance(transferId)),
    giveUpTransfers: transfers.giveUp,
  };
}
