import { heartbeat } from '@temporalio/activity';
import type { Advisories } from '../services/verification/advisories';

export type AdvisoryActivities = ReturnType<typeof createAdvisoryActivities>;

const HEARTBEAT_MS = 10_000;

/** The steps of the `advisorySweep` workflow. `directory` is empty where an operator imports by hand. */
export function createAdvisoryActivities(advisories: Advisories, directory: string) {
  async function beating<T>(work: () => Promise<T>): Promise<T> {
    const beat = setInterval(heartbeat, HEARTBEAT_MS);
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  }

  return {
    importAdvisories: (): Promise<{ records: number; changed: number }> =>
      beating(async () => {
        if (directory === '') return { records: 0, changed: 0 };
        const { records, changed } = await advisories.import(directory);
        return { records, changed };
      }),
    findHits: (): Promise<void> => beating(() => advisories.sweep()),
  };
}
