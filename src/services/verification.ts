import {
  type BegunRun,
  rerunsServing,
  type RunOutcome,
  type VerificationReason,
  type VerificationRunInput,
} from '../domain/verification';
import {
  listWaiting,
  markTriggered,
  moveVersion,
  readHighestIn,
  readVersionById,
  supersedeOthers,
  type VersionRow,
} from '../stores/agent-versions';
import { type AgentRow, lockAgent, setServingVersion } from '../stores/agents';
import { type Db, type DbPool, withTransaction } from '../stores/db';
import { readServingVersion } from '../stores/serving-versions';
import { finishRun, insertRun, readRun, type RunRow, storeEvidence } from '../stores/verification-runs';
import { type ConformanceEvidence, conformanceFailure } from '../verification/conformance-probe';
import { probeVersion, type VerificationProbeDeps } from './verification-probes';

export interface VerificationDeps extends VerificationProbeDeps {
  pool: DbPool;
}

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

    /** Calls the agent with inputs made from its schema and stores what was seen. */
    async probe(runId: string, signal: AbortSignal): Promise<void> {
      const { versionId, state } = await run(runId);
      if (state !== 'running') return;
      const version = await readServingVersion(pool, versionId);
      if (!version) throw new Error(`no version ${versionId}`);
      const evidence = await probeVersion(deps, version, signal);
      await storeEvidence(pool, runId, JSON.stringify(evidence));
    },

    /** Ends the run: a new version goes live or is rejected; for the serving one the run is only recorded. */
    async conclude(runId: string): Promise<RunOutcome> {
      const { agentId, versionId, evidence } = await run(runId);
      if (evidence === null) throw new Error(`run ${runId} has no evidence`);
      const failure = conformanceFailure(JSON.parse(evidence) as ConformanceEvidence);
      return withTransaction(pool, async (tx) => {
        const agent = await lockAgent(tx, agentId);
        const version = await readVersionById(tx, versionId);
        if (!agent || !version) throw new Error(`run ${runId} has lost its version`);
        const summary = failure ?? 'All probes were answered as they should be.';
        await finishRun(tx, runId, failure ? 'failed' : 'passed', summary);
        return settle(tx, agent, version, failure);
      });
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

/** What the run means for its version, under the agent's lock. */
async function settle(
  tx: Db,
  agent: AgentRow,
  version: VersionRow,
  failure: string | undefined,
): Promise<RunOutcome> {
  const { versionId, agentId } = version;
  if (version.state !== 'verifying') return outcomeOf(agent, version, failure);
  const newer = await readHighestIn(tx, agentId, ['submitted']);
  if (newer || agent.status === 'retired') {
    await moveVersion(tx, versionId, ['verifying'], 'superseded');
    return { kind: 'superseded' };
  }
  if (failure) {
    await moveVersion(tx, versionId, ['verifying'], 'rejected', failure);
    return { kind: 'rejected' };
  }
  await moveVersion(tx, versionId, ['verifying'], 'verified');
  await supersedeOthers(tx, agentId, ['live', 'rejected'], versionId);
  await moveVersion(tx, versionId, ['verified'], 'live');
  await setServingVersion(tx, agentId, versionId);
  return { kind: 'live' };
}

/** A run of the serving version, or the second call of `conclude` for one run. */
function outcomeOf(agent: AgentRow, version: VersionRow, failure: string | undefined): RunOutcome {
  if (version.state === 'rejected' || version.state === 'superseded') return { kind: version.state };
  if (version.versionId !== agent.servingVersionId) return { kind: 'superseded' };
  return { kind: failure ? 'failed' : 'passed' };
}
