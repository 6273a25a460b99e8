/**
 * One withdrawal from a bond (contract, "Bonds and slashing"): a notice period, then the money. While a slash is
 * undecided the withdrawal waits, and the transaction that ends the slash pays it.
 */
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { BondActivities } from '../activities/bonds';
import type { WithdrawalInput, WithdrawalStatus } from '../domain/bonds/bond';
import { show, timerSummary } from './details';

const records = proxyActivities<BondActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function bondWithdrawal({ withdrawalId, dueAtMs }: WithdrawalInput): Promise<WithdrawalStatus> {
  const links = {
    credits: [`bond → wallet, \`bond/${withdrawalId}/release\``],
    operator: ['nothing to decide: undecided slashes of the developer delay the payment'],
    api: ['GET /v1/billing/developer/bond'],
  };
  show({
    state: 'Waits for the end of the notice period',
    untilMs: dueAtMs,
    then: 'the credits go from the bond to the wallet, or wait while a slash is undecided',
    ...links,
  });
  await sleep(Math.max(1, dueAtMs - Date.now()), timerSummary('notice period of a withdrawal', dueAtMs));
  const status = await records.recordNoticeEnd.executeWithOptions(
    { summary: `pay the withdrawal ${withdrawalId}` },
    [{ withdrawalId, asOf: new Date().toISOString() }],
  );
  show({ state: `The notice period is over; the withdrawal is ${status}`, ...links });
  return status;
}
