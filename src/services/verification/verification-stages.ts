/**
 * The four stages of a verification run. Each stage stores its evidence once, before it is used; a repeated stage after
 * a crash finds the evidence and does nothing. Thrown errors are internal faults: the run is retried, and no score
 * changes.
 */
import type { CheckCoverage } from '../../domain/evidence/evidence-facts';
import type { VersionDocument } from '../../domain/catalogue/manifest';
import { differenceOf, isTransient, openDifferences } from '../../domain/verification/behaviour';
import type {
  BehaviourFacts,
  BuyersFact,
  DynamicEvidence,
  EvidenceStage,
} from '../../domain/verification/probe-facts';
import type { ReprobeOutcome } from '../../domain/verification/verification';
import { createTenantTurns, type TenantTurns } from '../../kit/concurrency/tenant-turns';
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
  readReprobes,
  readServingEvidence,
  storeLiveEvidence,
  storeStageEvidence,
  takeReprobes,
} from '../../stores/verification/verification-evidence';
import { readBadPeriod } from '../../stores/verification/call-tallies';
import { readRun } from '../../stores/verification/verification-runs';
import type { BundleScans } from './bundle-scans';
import type { ProvenProbes } from './proven-probes';
import type { LiveEvidence } from './verification-probes';

export interface VerificationStagesDeps {
  pool: DbPool;
  probes: ProvenProbes;
  scans: Pick<BundleScans, 'scan'>;
}

/**
 * Agents probed concurrently per process. Developers take turns, and those of whom the process has probed most lately wait, so slow
 * agents of one developer delay no other.
 */
const PROBED_AT_ONCE = { slots: 12, mostRunning: 2, mostWaiting: 4 } as const;
/** Shorter than the activity's time. */
const PATIENCE_MS = 60 * 60_000;

function createProbeTurns(): TenantTurns {
  return createTenantTurns({
    ...PROBED_AT_ONCE,
    patienceMs: PATIENCE_MS,
    late: () => new Error('an agent waited too long for its turn to be probed'),
    crowded: () => new Error('other agents of the developer are probed first'),
  });
}

export function createVerificationStages(deps: VerificationStagesDeps) {
  const { pool, probes, scans } = deps;
  const probing = createProbeTurns();

  /** Both stages share one scan, whose evidence is stored at once: no bundle is read twice in a run. */
  async function scan(runId: string, { versionId }: ServingVersion, signal: AbortSignal): Promise<void> {
    const evidence = await scans.scan(versionId, signal);
    await withTransaction(pool, async (tx) => {
      await storeStageEvidence(tx, runId, 'static', evidence.static);
      await storeStageEvidence(tx, runId, 'supplyChain', evidence.supplyChain);
    });
  }

  /** Gathers and stores the evidence of both stages at the endpoint, which share one pass. */
  async function live(runId: string, version: ServingVersion, signal: AbortSignal): Promise<void> {
    const document = await documentOf(pool, version.versionId);
    const hosts = { ownHosts: ownHostsOf(document), declared: declaredBy(document) };
    const isServing = (await readServingVersionId(pool, version.agentId)) === version.versionId;
    const isCrowded = () => probing.othersWait(version.developerUserId);
    const { dynamic, redTeam } = await probes.live(version, runId, {
      signal,
      isServing,
      isCrowded,
      ...hosts,
    });
    const { personalData, ...evidence } = dynamic;
    await withTransaction(pool, async (tx) => {
      const reprobes = await takeReprobes(tx, runId, version.agentId);
      const buyers = isServing ? await readBadPeriod(tx, version.agentId) : null;
      await storeLiveEvidence(tx, runId, {
        dynamic: {
          ...evidence,
          dataHandling: auditOf(document, personalData),
          behaviour: behaviourOf(reprobes, buyers),
        },
        redTeam,
      });
    });
  }

  const gather: Record<
    EvidenceStage,
    (runId: string, version: ServingVersion, signal: AbortSignal) => Promise<void>
  > = {
    static: scan,
    // Finds its evidence stored, unless a run of an earlier release stored the other stage alone.
    supplyChain: scan,
    dynamic: (runId, version, signal) =>
      probing.run(version.developerUserId, () => live(runId, version, signal)),
    // Finds its evidence stored, unless a run of an earlier release stored the other stage alone.
    redTeam: (runId, version, signal) =>
      probing.run(version.developerUserId, () => live(runId, version, signal)),
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
      reprobe(deps, probing, { agentId, reprobeId }, signal),
  };
}

export type VerificationStages = ReturnType<typeof createVerificationStages>;

async function reprobe(
  { pool, probes }: VerificationStagesDeps,
  probing: TenantTurns,
  { agentId, reprobeId }: { agentId: string; reprobeId: string },
  signal: AbortSignal,
): Promise<ReprobeOutcome> {
  const versionId = await readServingVersionId(pool, agentId);
  const version = versionId === undefined ? undefined : await readServingVersion(pool, versionId);
  if (!version || !(await probes.mayProbe(version))) return { kind: 'nothing' };
  const developer = version.developerUserId;
  const isCrowded = () => probing.othersWait(developer);
  const seen = await probing.run(developer, () => probes.again(version, { signal, isCrowded }));
  const code = differenceOf(seen, await readServingEvidence(pool, agentId));
  if (code === null) return { kind: 'nothing' };
  const reached = !isTransient(code);
  const before = openDifferences(await readReprobes(pool, agentId));
  await insertReprobe(pool, { reprobeId, agentId, versionId: version.versionId, code, reached });
  if (code !== 'conforms') return { kind: reached ? 'differing' : 'unreached' };
  return { kind: before === 1 ? 'recovered' : 'matching' };
}

async function documentOf(pool: DbPool, versionId: string): Promise<VersionDocument> {
  const document = await readDocument(pool, versionId);
  if (!document) throw new Error(`no version ${versionId}`);
  return document;
}

/** The hosts that the document names as the developer's own. */
function ownHostsOf({ endpoint, homepage, icon_url: icon }: VersionDocument): string[] {
  const hosts = [endpoint.url, homepage, icon].flatMap((url) => (url ? [new URL(url).hostname] : []));
  return [...new Set(hosts)];
}

/** Subprocessors and own addresses, in lower case. */
function declaredBy({ endpoint, homepage, data_handling: { subprocessors } }: VersionDocument): string[] {
  return [...subprocessors, homepage ?? '', endpoint.url].map((text) => text.toLowerCase());
}

/** Compares outputs with the declared data handling. Residency and retention cannot be observed from outside. */
function auditOf(
  { data_handling: declared }: VersionDocument,
  { coverage, personalData }: LiveEvidence['dynamic']['personalData'],
): DynamicEvidence['dataHandling'] {
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

function behaviourOf(
  reprobes: readonly { code: string; reached: boolean }[],
  buyers: BuyersFact | null,
): BehaviourFacts {
  const counts = new Map<string, number>();
  for (const { code } of reprobes) if (code !== 'conforms') counts.set(code, (counts.get(code) ?? 0) + 1);
  const differing = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, count]) => ({ code, count }) as BehaviourFacts['differing'][number]);
  const looked = reprobes.filter(({ reached }) => reached).length;
  const missing = reprobes.length - looked;
  const gaps: CheckCoverage['gaps'] = missing > 0 ? [{ code: 'not_answered', count: missing }] : [];
  const matching = reprobes.filter(({ code }) => code === 'conforms').length;
  const open = openDifferences(reprobes);
  const coverage = { wanted: reprobes.length, looked, gaps };
  return { coverage, matching, differing, open, buyers: open > 0 ? buyers : null };
}
