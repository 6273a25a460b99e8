import type { Container } from '../../../src/container';
import { mondayOf } from '../../../src/domain/payouts/payout';
import { DETAILS } from '../payouts/payouts';

/** The developer of the second agent, with 4,500 lots. */
export const MONDAY_DEVELOPER = `usr_${(102).toString(16).padStart(32, '0')}`;

/** The activities of a Monday for a developer with more lots than fit into one step. */
export async function payMonday({ payoutRuns, payoutAccounts, usdcTransfers }: Container): Promise<void> {
  const developerUserId = MONDAY_DEVELOPER;
  const run = { asOf: new Date(mondayOf(Date.now())).toISOString(), attempt: 7 };
  await payoutAccounts.setMethod(developerUserId, 'ach', DETAILS.ach);
  await payoutRuns.begin({ ...run, onlyUserId: developerUserId, workflowId: 'loaded' });
  const page = await payoutRuns.listCandidates({ asOf: run.asOf, afterUserId: '', limit: 200 });
  expect(page).toContain(developerUserId);
  let payout = await payoutRuns.reserve({ ...run, developerUserId });
  while (payout?.status === 'reserving') payout = await payoutRuns.reserve({ ...run, developerUserId });
  expect(payout?.status).toBe('pending');
  await usdcTransfers.hasWork(run);
  const file = await payoutRuns.writeFile({ method: 'ach', ...run });
  await payoutRuns.settleFile(file?.fileId ?? '');
  await payoutRuns.end(run);
}
