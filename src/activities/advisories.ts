import type { Advisories } from '../services/verification/advisories';
import { withHeartbeats } from './heartbeat';

export type AdvisoryActivities = ReturnType<typeof createAdvisoryActivities>;

/** Activities of the `advisorySweep` workflow. An empty `directory` means that operators import records by hand. */
export function createAdvisoryActivities(advisories: Advisories, directory: string) {
  return {
    importAdvisories: (): Promise<{ records: number; changed: number }> =>
      withHeartbeats(async () => {
        if (directory === '') return { records: 0, changed: 0 };
        const { records, changed } = await advisories.import(directory);
        return { records, changed };
      }),
    findHits: (): Promise<void> => withHeartbeats(() => advisories.sweep()),
  };
}
