/** Imports the directory of advisories again (contract, "Trust"). A Schedule starts it every six hours. */
import { proxyActivities } from '@temporalio/workflow';
import type { AdvisoryActivities } from '../activities/advisories';

const { importAdvisories, findHits } = proxyActivities<AdvisoryActivities>({
  startToCloseTimeout: '2h',
  heartbeatTimeout: '60s',
  retry: { initialInterval: '10s', maximumInterval: '10m', maximumAttempts: 5 },
});

/** Only records the affected agents. Every worker's sweep requests their verification. */
export async function advisorySweep(): Promise<{ records: number; changed: number }> {
  const report = await importAdvisories();
  await findHits();
  return report;
}
