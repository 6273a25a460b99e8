import type { Advisories } from '../services/verification/advisories';
import type { AdvisoryFeed } from '../services/verification/advisory-feed';
import { withHeartbeats } from './heartbeat';

export type AdvisoryActivities = ReturnType<typeof createAdvisoryActivities>;

/**
 * Activities of the `advisorySweep` workflow. An empty `directory` means that operators import records by hand; without
 * a `feed`, nothing is fetched.
 */
export function createAdvisoryActivities(
  advisories: Advisories,
  directory: string,
  feed: AdvisoryFeed | undefined,
) {
  return {
    importAdvisories: (): Promise<{ records: number; changed: number }> =>
      withHeartbeats(async (signal) => {
        const fetched = (await feed?.refresh(signal)) ?? [];
        const changes = fetched.reduce((sum, report) => sum + report.changed, 0);
        if (directory === '') return { records: 0, changed: changes };
        const { records, changed } = await advisories.importDirectory(directory);
        return { records, changed: changed + changes };
      }),
    findHits: (): Promise<void> => withHeartbeats(() => advisories.sweep()),
  };
}
