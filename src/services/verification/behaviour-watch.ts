import { judgeTally, openDifferences, weightOf } from '../../domain/verification/behaviour';
import type { ProbeCode } from '../../domain/verification/probe-facts';
import { newId } from '../../kit/ids/ids';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import {
  halveTally,
  resetTally,
  takeDueTallies,
  type TallyRow,
} from '../../stores/verification/call-tallies';
import {
  insertReprobe,
  readReprobes,
  readServingEvidence,
} from '../../stores/verification/verification-evidence';

const BATCH = 100;
/** Fewer calls are never judged. */
const LEAST_CALLS = 20;

/** An agent whose buyers' calls ask for a run. */
export interface ChangedAgent {
  agentId: string;
  versionId: string;
}

/**
 * Compares buyers' calls with the evidence of the last run. A period with far more failures counts as differing
 * re-probes, so that only as many later good ones resolve the finding. Several processes may run it.
 */
export function createBehaviourWatch({ pool }: { pool: DbPool }) {
  return {
    /** Looks at agents that were called since the last time. Returns those that need a run. */
    look: (): Promise<ChangedAgent[]> =>
      withTransaction(pool, async (tx) => {
        const changed: ChangedAgent[] = [];
        for (const tally of await takeDueTallies(tx, BATCH))
          if (await needsRun(tx, tally)) changed.push({ agentId: tally.agentId, versionId: tally.versionId });
        return changed;
      }),
  };
}

async function needsRun(tx: Db, tally: TallyRow): Promise<boolean> {
  const { agentId, succeeded, refused, failed, code } = tally;
  if (succeeded + refused + failed < LEAST_CALLS) return false;
  switch (judgeTally(tally, await readServingEvidence(tx, agentId))) {
    case 'bad': {
      const reason = (code ?? 'agent_error') as ProbeCode;
      await resetTally(tx, agentId, { calls: succeeded + refused + failed, failed, code: reason });
      await insertPeriods(tx, tally, 'buyers', weightOf(reason));
      return true;
    }
    case 'refusing':
      await resetTally(tx, agentId, null);
      return true;
    case 'good': {
      await resetTally(tx, agentId, null);
      const open = openDifferences(await readReprobes(tx, agentId));
      if (open > 0) await insertPeriods(tx, tally, 'conforms', 1);
      return open === 1;
    }
    case 'halve':
      await halveTally(tx, agentId);
      return false;
    case 'wait':
      return false;
  }
}

async function insertPeriods(
  tx: Db,
  { agentId, versionId }: TallyRow,
  code: 'buyers' | 'conforms',
  count: number,
): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await insertReprobe(tx, { reprobeId: newId('inv'), agentId, versionId, code, reached: true });
}
