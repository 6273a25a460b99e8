/** Imports the directory of advisories again (contract, "Trust"). A Schedule starts it every six hours. */
import { proxyActivities } from '@temporalio/workflow';
import type { AdvisoryActivities } from '../activities/advisories';
import { show } from './details';

const { importAdvisories, findHits } = proxyActivities<AdvisoryActivities>({
  startToCloseTimeout: '2h',
  heartbeatTimeout: '60s',
  retry: { initialInterval: '10s', maximumInterval: '10m', maximumAttempts: 5 },
});

/** Only records the affected agents. Every worker's sweep requests their verification. */
export async function advisorySweep(): Promise<{ records: number; changed: number }> {
  show({
    state: 'Imports the advisories again',
    then: 'agents whose dependencies a changed advisory names are verified again',
  });
  const report = await importAdvisories();
  show({ state: `Imported ${report.records} advisories; looks for the agents that they name` });
  await findHits();
  show({
    state: `Ended: ${report.records} advisories read, ${report.changed} of them new or changed`,
    then: 'the Schedule starts the next import in six hours',
  });
  return report;
}
