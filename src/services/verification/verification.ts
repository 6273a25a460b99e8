import {
  type BegunRun,
  rerunsServing,
  type RunOutcome,
  type VerificationReason,
  type VerificationRunInput,
} from '../../domain/verification/verification';
import { moveVersion, readHighestIn } from '../../stores/catalogue/agent-versions';
import { type AgentRow, lockAgent } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { listWaiting, markTriggered } from '../../stores/catalogue/reverifications';
import { readServingVersion } from '../../stores/catalogue/serving-versions';
import { readRunEvidence } from '../../stores/verification/verification-evidence';
import { finishRun, insertRun, readRun, type RunRow } from '../../stores/verification/verification-runs';
import { concludeRun } from './run-conclusion';

export interface VerificationDeps {
  pool: DbPool;
  /** Notice of a higher price, in ms (PRICE_NOTICE_MS). */
  priceNoticeMs: number;
}

const UNFINISHED = 'The run failed because of an internal fault. It will be repeated.';

/**
 * When the sweep requests a run: soon after the deadline of the first request (1.5 s) if that failed, late if it was
 * requested before.
 */
const PATIENCE = { submittedMs: 3_000, verifyingMs: 30 * 60_000, limit: 100 };

/**
 * Verification runs (contract, "Publishing and the agent's life"). All methods are idempotent: a run is begun and
 * concluded once. Thrown errors are internal faults and never findings about the agent.
 */
export function createVerification(deps: VerificationDeps) {
  const { pool } = deps;

  async function run(runId: string): Promise<RunRow> {
    const found = await readRun(pool, runId);
    if (!found) throw new Error(`no run ${runId}`);
    return found;
  }

  return {
    /** Chooses the version of the run: the highest waiting version, else, for some reasons, the serving version. */
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

    /** Concludes the run: scores its evidence, makes a new version live or rejects it, and updates the listing. */
    async conclude(runId: string): Promise<RunOutcome> {
      const { agentId, versionId } = await run(runId);
      const evidence = await readRunEvidence(pool, runId);
      if (evidence)
        return withTransaction(
          pool,
          async (tx) =>
            (await concludeRun(tx, { runId, agentId, versionId, evidence }, deps.priceNoticeMs)).outcome,
        );
      // An earlier release probed and this one concludes. The sweep requests a complete run.
      await finishRun(pool, runId, 'faulted', UNFINISHED);
      return { kind: 'nothing' };
    },

    /** Abandons a run after a persistent internal fault. It has no effect on the agent. */
    async abandon(runId: string): Promise<void> {
      await finishRun(pool, runId, 'faulted', UNFINISHED);
    },

    /** Versions still `submitted` or `verifying` without a recent request, e.g. because Temporal was down. */
    listUntriggered: () => listWaiting(pool, PATIENCE),

    markTriggered: (versionId: string) => markTriggered(pool, versionId),
  };
}

export type Verification = ReturnType<typeof createVerification>;

async function toBegun(db: Db, versionId: string): Promise<BegunRun> {
  const version = await readServingVersion(db, versionId);
  if (!version) throw new Error(`no version ${versionId}`);
  return { kind: 'run', versionId };
}

/** Chooses the version of a new run and moves it to `verifying`, unless it is the serving version. */
async function choose(tx: Db, agent: AgentRow, reason: VerificationReason): Promise<string | undefined> {
  const waiting = await readHighestIn(tx, agent.agentId, ['submitted', 'verifying']);
  if (waiting) {
    await moveVersion(tx, waiting.versionId, ['submitted'], 'verifying');
    return waiting.versionId;
  }
  return rerunsServing(reason) ? (agent.servingVersionId ?? undefined) : undefined;
}
