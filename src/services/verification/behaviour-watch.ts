import { callsOf, judgeTally, openDifferences, weightOf } from '../../domain/verification/behaviour';
import type { ProbeCode } from '../../domain/verification/probe-facts';
import { newId } from '../../kit/ids/ids';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { closePeriod, claimDueTallies, type TallyRow } from '../../stores/verification/call-tallies';
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
 * Compares paid calls of several buyers with the evidence of the last run. A period with far more failures counts as
 * differing re-probes, so that only as many later good ones resolve the finding. Several processes may run it.
 */
export function createBehaviourWatch({ pool }: { pool: DbPool }) {
  return {
    /** Looks at agents that were called since the last time. Returns those that need a run. */
    look: (): Promise<ChangedAgent[]> =>
      withTransaction(pool, async (tx) => {
        const changed: ChangedAgent[] = [];
        for (const tally of await claimDueTallies(tx, BATCH))
          if (await needsRun(tx, tally)) changed.push({ agentId: tally.agentId, versionId: tally.versionId });
        return changed;
      }),
  };
}

async function needsRun(tx: Db, tally: TallyRow): Promise<boolean> {
  const { agentId, failed, code } = tally;
  if (callsOf(tally) < LEAST_CALLS) return false;
  const verdict = judgeTally(tally, await readServingEvidence(tx, agentId));
  if (verdict === 'wait') return false;
  const reason = (code ?? 'agent_error') as ProbeCode;
  const bad = { calls: callsOf(tally), failed: failed.calls, code: reason };
  await closePeriod(tx, agentId, verdict === 'bad' ? bad : null);
  switch (verdict) {
    case 'bad':
      await insertPeriods(tx, tally, 'buyers', weightOf(reason));
      return true;
    case 'refusing':
      return true;
    case 'good': {
      const open = openDifferences(await readReprobes(tx, agentId));
      if (open > 0) await insertPeriods(tx, tally, 'conforms', 1);
      return open === 1;
    }
    case 'restart':
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
