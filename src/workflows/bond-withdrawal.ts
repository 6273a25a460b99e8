/**
 * One withdrawal from a bond (contract, "Bonds and slashing"): a notice, and at its end the money, unless a slash is not
 * decided; then the withdrawal waits and the end of that slash pays it, in the same transaction.
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
