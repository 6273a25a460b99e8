/**
 * One withdrawal from a bond (contract, "Bonds and slashing"): a notice period, then the money. While a slash is
 * undecided the withdrawal waits, and the transaction that ends the slash pays it.
 */
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { BondActivities } from '../activities/bonds';
import type { WithdrawalInput, WithdrawalStatus } from '../domain/bonds/bond';

const records = proxyActivities<BondActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function bondWithdrawal({ withdrawalId, dueAtMs }: WithdrawalInput): Promise<WithdrawalStatus> {
  await sleep(Math.max(1, dueAtMs - Date.now()));
  return records.recordNoticeEnd({ withdrawalId, asOf: new Date().toISOString() });
}
