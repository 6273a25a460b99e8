/**
 * The four stages of a verification run. Each stage stores its evidence once, before it is used; a repeated stage after
 * a crash finds the evidence and does nothing. Thrown errors are internal faults: the run is retried, and no score
 * changes.
 */
import type { CheckCoverage } from '../../domain/evidence/evidence-facts';
import type { VersionDocument } from '../../domain/catalogue/manifest';
import { requestFact, requestsIn } from '../../domain/jobs/unpassed';
import { CLEAN_LOOKS, differenceOf, isTransient, openDifferences } from '../../domain/verification/behaviour';
import type {
  BehaviourFacts,
  BuyersFact,
  DynamicEvidence,
  EvidenceStage,
} from '../../domain/verification/probe-facts';
import type { CallAllowance, ReprobeOutcome } from '../../domain/verification/verification';
import { createTenantTurns, type TenantTurns } from '../../kit/concurrency/tenant-turns';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { readNoticeKinds } from '../../stores/catalogue/agent-notices';
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
  storeStageEvidence,
  claimReprobes,
} from '../../stores/verification/verification-evidence';
import { readBadPeriod } from '../../stores/verification/call-tallies';
import { readRun } from '../../stores/verification/verification-runs';
import { definitionsOf } from '../../verification/tools/listing-scan';
import type { ToolNotary } from '../mcp/notary/tool-notary';
import type { BundleScans } from './bundle-scans';
import { unclearedOf } from './uncleared-findings';
import type { ProvenProbes } from './proven-probes';
import { createRunTurns } from '../../verification/turns/run-turns';

export interface VerificationStagesDeps {
  pool: DbPool;
  probes: ProvenProbes;
  scans: Pick<BundleScans, 'scan'>;
  notary: Pick<ToolNotary, 'note' | 'noteRun'>;
}

/**
 * Agents probed concurrently per process. Developers take turns, and those of whom the process has probed most lately
 * wait, so slow agents of one developer delay no other.
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

/** Options of an attempt of a stage. */
interface Attempt {
  signal: AbortSignal;
  /** What `allowCalls` returned, for the stages at the endpoint. Runs of earlier workflow code have none. */
  allowed?: CallAllowance | undefined;
  /** Attempts of the stage that made calls. */
  count: { before: number; add(): void };
}

/** `called_enough`: earlier attempts made calls and failed afterwards, so the stage makes no more. */
type Gathered = 'stored' | 'called_enough';

type Gather = (runId: string, version: ServingVersion, attempt: Attempt) => Promise<Gathered>;

/**
 * Attempts of a stage that make calls: a fault of the service must not call an agent without a bound. A host without a
 * proof gets the calls of one attempt.
 */
const MOST_CALLING = 3;

type StageOptions = Parameters<ProvenProbes['dynamic']>[2];

/** The stages that call the endpoint. Each makes its calls in the turn of the run, which it shares with the other. */
function createLiveStages(
  { pool, probes, notary }: VerificationStagesDeps,
  probing: TenantTurns,
): Record<'dynamic' | 'redTeam', Gather> {
  const turns = createRunTurns(probing);

  async function inTurn(
    [runId, version, { signal, allowed: given, count }]: Parameters<Gather>,
    work: (document: VersionDocument, options: StageOptions) => Promise<void>,
  ): Promise<Gathered> {
    if (count.before >= MOST_CALLING) return 'called_enough';
    const document = await documentOf(pool, version.versionId);
    const isServing = (await readServingVersionId(pool, version.agentId)) === version.versionId;
    const isCrowded = () => probing.othersWait(version.developerUserId);
    const hosts = { ownHosts: ownHostsOf(document), declared: declaredBy(document) };
    return turns.run(runId, version.developerUserId, async (place, last): Promise<Gathered> => {
      const allowance = given ?? (await probes.allowance(version, runId, signal));
      const allowed = allowance === 'few' && count.before > 0 ? 'none' : allowance;
      if (allowed === 'all' || allowed === 'few') count.add();
      await work(document, { signal, allowed, isServing, isCrowded, place, last, ...hosts });
      return 'stored';
    });
  }

  return {
    dynamic: (...run) =>
      inTurn(run, async (document, options) => {
        const [runId, version] = run;
        const found = await probes.dynamic(version, runId, options);
        const { personalData: coverage, listed, ...evidence } = found;
        const audited = { coverage, personalData: evidence.share.personalData };
        await withTransaction(pool, async (tx) => {
          const definitions = version.kind === 'mcp' ? listed : definitionsOf(document);
          if (definitions) await notary.noteRun(tx, runId, version, definitions);
          const reprobes = await claimReprobes(tx, runId, version.agentId);
          const buyers = options.isServing ? await readBadPeriod(tx, version.agentId) : null;
          const tools = evidence.tools && (await withCalls(tx, version, evidence.tools));
          await storeStageEvidence(tx, runId, 'dynamic', {
            ...evidence,
            tools,
            ownership: ownershipIn(options),
            dataHandling: auditOf(document, audited),
            behaviour: { ...behaviourOf(reprobes, buyers), ...(await unclearedOf(tx, version.agentId)) },
          });
        });
      }),
    redTeam: (...run) =>
      inTurn(run, async (_document, options) => {
        const [runId, version] = run;
        await storeStageEvidence(pool, runId, 'redTeam', await probes.redTeam(version, runId, options));
      }),
  };
}

/** Adds the requests that did not pass in calls of buyers, by the notices of the version. */
async function withCalls(
  tx: Db,
  { versionId }: ServingVersion,
  tools: NonNullable<DynamicEvidence['tools']>,
): Promise<NonNullable<DynamicEvidence['tools']>> {
  const { unpassed = [], ...rest } = tools;
  const known = new Set(unpassed.map(({ what }) => what));
  const asked = requestsIn(await readNoticeKinds(tx, versionId)).filter((request) => !known.has(request));
  return { ...rest, unpassed: [...unpassed, ...asked.map((request) => requestFact(request, 'calls'))] };
}

export function createVerificationStages(deps: VerificationStagesDeps) {
  const { pool, probes, scans } = deps;
  const probing = createProbeTurns();

  /** Both stages share one scan, whose evidence is stored at once: no bundle is read twice in a run. */
  async function scan(
    runId: string,
    { versionId }: ServingVersion,
    { signal }: Pick<Attempt, 'signal'>,
  ): Promise<Gathered> {
    const evidence = await scans.scan(versionId, signal);
    await withTransaction(pool, async (tx) => {
      await storeStageEvidence(tx, runId, 'static', evidence.static);
      await storeStageEvidence(tx, runId, 'supplyChain', evidence.supplyChain);
    });
    return 'stored';
  }

  const { dynamic, redTeam } = createLiveStages(deps, probing);

  const gather: Record<EvidenceStage, Gather> = {
    static: scan,
    // Finds its evidence stored, unless a run of an earlier release stored the other stage alone.
    supplyChain: scan,
    dynamic,
    redTeam,
  };

  async function running(runId: string): Promise<ServingVersion | undefined> {
    const run = await readRun(pool, runId);
    if (!run) throw new Error(`no run ${runId}`);
    if (run.state !== 'running') return undefined;
    const version = await readServingVersion(pool, run.versionId);
    if (!version) throw new Error(`no version ${run.versionId}`);
    return version;
  }

  return {
    /** Runs a stage and stores its evidence, unless it is stored. */
    async gather(runId: string, stage: EvidenceStage, attempt: Attempt): Promise<Gathered> {
      const version = await running(runId);
      if (!version || (await hasStageEvidence(pool, runId, stage))) return 'stored';
      await probes.turn(attempt.signal);
      return gather[stage](runId, version, attempt);
    },

    /** Returns the calls that the stages of the run may make at the endpoint. */
    async allowCalls(runId: string, signal: AbortSignal): Promise<CallAllowance> {
      const version = await running(runId);
      if (!version) return 'none';
      await probes.turn(signal);
      return probes.allowance(version, runId, signal);
    },

    /** Calls the serving version once, like a buyer. The next run uses the result as evidence. */
    reprobe: (agentId: string, reprobeId: string, signal: AbortSignal): Promise<ReprobeOutcome> =>
      reprobe(deps, probing, { agentId, reprobeId }, signal),
  };
}

export type VerificationStages = ReturnType<typeof createVerificationStages>;

async function reprobe(
  { pool, probes, notary }: VerificationStagesDeps,
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
  if (seen.listed) await notary.note(version, seen.listed);
  const code = differenceOf(seen, await readServingEvidence(pool, agentId));
  if (code === null) return { kind: 'nothing' };
  const reached = !isTransient(code);
  const before = openDifferences(await readReprobes(pool, agentId));
  const { uncleared = [] } = await unclearedOf(pool, agentId);
  await insertReprobe(pool, { reprobeId, agentId, versionId: version.versionId, code, reached });
  if (code !== 'conforms') return { kind: reached ? 'differing' : 'unreached' };
  const clears = uncleared.some(({ clean }) => clean === CLEAN_LOOKS - 1);
  return { kind: before === 1 || clears ? 'recovered' : 'matching' };
}

/** What the run knows of the host: no badge without a proof. */
function ownershipIn({ allowed }: Pick<StageOptions, 'allowed'>): NonNullable<DynamicEvidence['ownership']> {
  return { proven: allowed === 'all', ...(allowed === 'refused' && { ofOthers: true }) };
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
  { coverage, personalData }: Pick<DynamicEvidence['dataHandling'], 'coverage' | 'personalData'>,
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
