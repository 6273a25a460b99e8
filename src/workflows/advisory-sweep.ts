/** Reads the directory of advisories again (contract, "Trust"); run by a Schedule, every six hours. */
import { proxyActivities } from '@temporalio/workflow';
import type { AdvisoryActivities } from '../activities/advisories';

const { importAdvisories, findHits } = proxyActivities<AdvisoryActivities>({
  startToCloseTimeout: '2h',
  heartbeatTimeout: '60s',
  retry: { initialInterval: '10s', maximumInterval: '10m', maximumAttempts: 5 },
});

/** Runs of the agents that are hit are asked for by every worker's sweep. */
export async function advisorySweep(): Promise<{ records: number; changed: number }> {
  const report = await importAdvisories();
  await findHits();
  return report;
}
