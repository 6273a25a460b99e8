/**
 * The four stages of a verification run. Each stage stores its evidence once, before it is used; a repeated stage after
 * a crash finds the evidence and does nothing. Thrown errors are internal faults: the run is retried, and no score
 * changes.
 */
import type { BundleEvidence, CheckCoverage } from '../../domain/evidence/evidence-facts';
import type { VersionDocument } from '../../domain/catalogue/manifest';
import type {
  BehaviourFacts,
  DynamicEvidence,
  EvidenceStage,
  PersonalDataKind,
} from '../../domain/verification/probe-facts';
import type { ReprobeOutcome } from '../../domain/verification/verification';
import { createSemaphore } from '../../kit/concurrency/semaphore';
import { type DbPool, withTransaction } from '../../stores/db';
import {
  readServingVersion,
  readServingVersionId,
  type ServingVersion,
} from '../../stores/catalogue/serving-versions';
import {
  hasStageEvidence,
  insertReprobe,
  readDocument,
  storeStageEvidence,
  takeReprobes,
} from '../../stores/verification/verification-evidence';
import { readRun } from '../../stores/verification/verification-runs';
import type { BundleScans } from './bundle-scans';
import type { LiveEvidence, VerificationProbes } from './verification-probes';

export interface VerificationStagesDeps {
  pool: DbPool;
  probes: VerificationProbes;
  scans: Pick<BundleScans, 'scan'>;
}

/** Agents probed concurrently per process. Their calls are throttled fairly, so a slow agent delays few others. */
const PROBED_AGENTS = 4;
/** Cached scans whose second stage has not been requested yet. */
const KEPT_SCANS = 8;
const MAY_HAPPEN: ReadonlySet<string> = new Set(['agent_unreachable', 'agent_timeout']);

export function createVerificationStages(deps: VerificationStagesDeps) {
  const { pool, probes, scans } = deps;
  const probing = createSemaphore(PROBED_AGENTS);
  const kept = new Map<string, BundleEvidence>();

  /** Both stages share one scan if the same process performs both. */
  async function scanOnce(runId: string, versionId: string, signal: AbortSignal): Promise<BundleEvidence> {
    const known = kept.get(runId);
    if (known) return known;
    const evidence = await scans.scan(versionId, signal);
    if (kept.size >= KEPT_SCANS) kept.clear();
    kept.set(runId, evidence);
    return evidence;
  }

  async function dynamic(
    runId: string,
    version: ServingVersion,
    signal: AbortSignal,
  ): Promise<DynamicEvidence> {
    const document = await readDocument(pool, version.versionId);
    if (!document) throw new Error(`no version ${version.versionId}`);
    const { personalData, ...evidence } = await probes.dynamic(version, signal);
    const reprobes = await withTransaction(pool, (tx) => takeReprobes(tx, runId, version.versionId));
    return { ...evidence, dataHandling: auditOf(document, personalData), behaviour: behaviourOf(reprobes) };
  }

  const gather: Record<
    EvidenceStage,
    (runId: string, version: ServingVersion, signal: AbortSignal) => Promise<void>
  > = {
    async static(runId, { versionId }, signal) {
      const { static: evidence } = await scanOnce(runId, versionId, signal);
      await storeStageEvidence(pool, runId, 'static', evidence);
    },
    async supplyChain(runId, { versionId }, signal) {
      const { supplyChain: evidence } = await scanOnce(runId, versionId, signal);
      await storeStageEvidence(pool, runId, 'supplyChain', evidence);
      kept.delete(runId);
    },
    dynamic: (runId, version, signal) =>
      probing.run(async () =>
        storeStageEvidence(pool, runId, 'dynamic', await dynamic(runId, version, signal)),
      ),
    redTeam: (runId, version, signal) =>
      probing.run(async () =>
        storeStageEvidence(pool, runId, 'redTeam', await probes.redTeam(version, signal)),
      ),
  };

  return {
    async gather(runId: string, stage: EvidenceStage, signal: AbortSignal): Promise<void> {
      const run = await readRun(pool, runId);
      if (!run) throw new Error(`no run ${runId}`);
      if (run.state !== 'running' || (await hasStageEvidence(pool, runId, stage))) return;
      const version = await readServingVersion(pool, run.versionId);
      if (!version) throw new Error(`no version ${run.versionId}`);
      await probes.turn(signal);
      await gather[stage](runId, version, signal);
    },

    /** Calls the serving version once, like a buyer. The next run uses the result as evidence. */
    reprobe: (agentId: string, reprobeId: string, signal: AbortSignal): Promise<ReprobeOutcome> =>
      probing.run(() => reprobe(deps, agentId, reprobeId, signal)),
  };
}

export type VerificationStages = ReturnType<typeof createVerificationStages>;

async function reprobe(
  { pool, probes }: VerificationStagesDeps,
  agentId: string,
  reprobeId: string,
  signal: AbortSignal,
): Promise<ReprobeOutcome> {
  const versionId = await readServingVersionId(pool, agentId);
  const version = versionId === undefined ? undefined : await readServingVersion(pool, versionId);
  const seen = version && (await probes.again(version, signal));
  if (!version || !seen) return { kind: 'nothing' };
  const wasReached = !MAY_HAPPEN.has(seen.code);
  const row = { reprobeId, agentId, versionId: version.versionId, code: seen.code, reached: wasReached };
  await insertReprobe(pool, row);
  if (seen.code === 'conforms') return { kind: 'matching' };
  return { kind: wasReached ? 'differing' : 'unreached' };
}

/** Compares outputs with the declared data handling. Residency and retention cannot be observed from outside. */
function auditOf(
  { data_handling: declared }: VersionDocument,
  { coverage, outputs }: LiveEvidence['personalData'],
): DynamicEvidence['dataHandling'] {
  const counts = new Map<PersonalDataKind, number>();
  for (const kind of outputs.flat()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const personalData = [...counts].map(([kind, count]) => ({ kind, outputs: count }));
  personalData.sort((a, b) => (a.kind < b.kind ? -1 : 1));
  return {
    declared: {
      piiProcessed: declared.pii_processed,
      retentionDays: declared.data_retention_days,
      residency: declared.residency,
      subprocessors: declared.subprocessors.length,
    },
    coverage,
    personalData,
    notAudited: ['residency', 'retention'],
  };
}

function behaviourOf(reprobes: readonly { code: string; reached: boolean }[]): BehaviourFacts {
  const counts = new Map<string, number>();
  for (const { code } of reprobes) if (code !== 'conforms') counts.set(code, (counts.get(code) ?? 0) + 1);
  const differing = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, count]) => ({ code, count }) as BehaviourFacts['differing'][number]);
  const looked = reprobes.filter(({ reached }) => reached).length;
  const missing = reprobes.length - looked;
  const gaps: CheckCoverage['gaps'] = missing > 0 ? [{ code: 'not_answered', count: missing }] : [];
  const matching = reprobes.filter(({ code }) => code === 'conforms').length;
  return { coverage: { wanted: reprobes.length, looked, gaps }, matching, differing };
}
