import {
  type BegunRun,
  rerunsServing,
  type RunOutcome,
  type VerificationReason,
  type VerificationRunInput,
} from '../../domain/verification/verification';
import {
  listWaiting,
  markTriggered,
  moveVersion,
  readHighestIn,
} from '../../stores/catalogue/agent-versions';
import { type AgentRow, lockAgent } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { readServingVersion } from '../../stores/catalogue/serving-versions';
import { readRunEvidence } from '../../stores/verification/verification-evidence';
import { finishRun, insertRun, readRun, type RunRow } from '../../stores/verification/verification-runs';
import { concludeRun } from './run-conclusion';

export interface VerificationDeps {
  pool: DbPool;
}

const UNFINISHED = 'The run failed on our side; it is made again.';

/** When the sweep asks for a run again: at once for versions never asked for, late for those that were. */
const PATIENCE = { submittedMs: 10_000, verifyingMs: 30 * 60_000, limit: 100 };

/**
 * Verification runs (contract, "Publishing and the agent's life"). Each method may be repeated: a run is begun and
 * concluded once. Whatever throws is a fault of ours and never the agent's finding.
 */
export function createVerification(deps: VerificationDeps) {
  const { pool } = deps;

  async function run(runId: string): Promise<RunRow> {
    const found = await readRun(pool, runId);
    if (!found) throw new Error(`no run ${runId}`);
    return found;
  }

  return {
    /** Decides which version the run is about: the highest one that waits, else, for some reasons, the serving one. */
    async begin({ agentId, runId, reason }: VerificationRunInput): Promise<BegunRun> {
      const begun = await readRun(pool, runId);
      if (begun) return toBegun(pool, begun.versionId);
      const versionId = await withTransaction(pool, async (tx) => {
        const agent = await lockAgent(tx, agentId);
        if (!agent || agent.status === 'retired') return null;
        const chosen = await choose(tx, agent, reason);
        if (chosen) await insertRun(tx, { runId, agentId, versionId: chosen, reason });
        return chosen;
      });
      if (versionId === null) return { kind: 'retired' };
      return versionId === undefined ? { kind: 'nothing' } : toBegun(pool, versionId);
    },

    /** Ends the run: its evidence is scored, a new version goes live or is rejected, the agent stands by its report. */
    async conclude(runId: string): Promise<RunOutcome> {
      const { agentId, versionId } = await run(runId);
      const evidence = await readRunEvidence(pool, runId);
      if (evidence)
        return withTransaction(
          pool,
          async (tx) => (await concludeRun(tx, { runId, agentId, versionId, evidence })).outcome,
        );
      // An earlier release probed, and this one concludes: the sweep asks for a whole run.
      await finishRun(pool, runId, 'faulted', UNFINISHED);
      return { kind: 'nothing' };
    },

    /** A fault of ours has outlasted all patience: the run is over, and says nothing of the agent. */
    async abandon(runId: string): Promise<void> {
      await finishRun(pool, runId, 'faulted', UNFINISHED);
    },

    /** Versions that wait although nobody seems to have asked for their run; the worker's sweep asks. */
    listUntriggered: () => listWaiting(pool, PATIENCE),

    markTriggered: (versionId: string) => markTriggered(pool, versionId),
  };
}

export type Verification = ReturnType<typeof createVerification>;

async function toBegun(db: Db, versionId: string): Promise<BegunRun> {
  const version = await readServingVersion(db, versionId);
  if (!version) throw new Error(`no version ${versionId}`);
  return { kind: 'run', versionId, timeoutMs: version.timeoutMs };
}

/** The version of a new run, moved to `verifying` unless it serves already. */
async function choose(tx: Db, agent: AgentRow, reason: VerificationReason): Promise<string | undefined> {
  const waiting = await readHighestIn(tx, agent.agentId, ['submitted', 'verifying']);
  if (waiting) {
    await moveVersion(tx, waiting.versionId, ['submitted'], 'verifying');
    return waiting.versionId;
  }
  return rerunsServing(reason) ? (agent.servingVersionId ?? undefined) : undefined;
}
