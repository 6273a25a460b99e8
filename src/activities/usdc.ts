import type { TransferRun } from '../domain/payouts/transfer';
import type { UsdcTransfers } from '../services/payouts/usdc-transfers';
import { withHeartbeats } from './heartbeat';

export type UsdcActivities = ReturnType<typeof createUsdcActivities>;

/**
 * Activities of `usdcPayouts`. Arguments and results are ids only. A thrown error is an internal fault; Temporal
 * retries it.
 */
export function createUsdcActivities(transfers: UsdcTransfers) {
  return {
    hasUsdcPayouts: transfers.hasWork,
    prepareTransfers: (run: TransferRun): Promise<string[]> => withHeartbeats(() => transfers.prepare(run)),
    advanceTransfer: (transferId: string): Promise<boolean> =>
      withHeartbeats(() => transfers.advance(transferId)),
    giveUpTransfers: transfers.giveUp,
  };
}
