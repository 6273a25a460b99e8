/**
 * Runs the static analysis and supply chain stages of a version (specification, "Trust report"). A bundle is treated as
 * data: it is unpacked in the memory of a process of its own with limits, never written to disk, never executed. How
 * that process ends is evidence: what ended a reader once would end it again, so the bundle is not read again in any
 * run.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerFile } from '../../kit/threads/worker-file';
import { type ProcessEnd, type ProcessLimits, runLimited } from '../../kit/concurrency/limited-process';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import type { BundleEvidence, GapCode } from '../../domain/evidence/evidence-facts';
import { type AdvisorySource, matchAdvisories } from '../packages/advisories';
import { type BundleFacts, type BundleParts, factsOf, factsWithoutBundle } from './bundle-facts';
import type { BundleWork } from './bundle-reader-process';
import { completenessFacts, type ScannedManifest } from './completeness';
import type { KnownPackage } from '../packages/package-facts';

export interface ScanRequest {
  /** The gzipped tar as published; undefined when the version has no bundle. */
  bundle: Buffer | undefined;
  manifest: ScannedManifest;
  advisories: AdvisorySource;
  /** The developer of the bundle: developers take turns. */
  developer: string;
  /** Default: none are known, and none are kept. */
  ended?: EndedReadings;
}

/** What a reader had found before its bundle ended it. */
export interface EndedReading {
  gap: EndGap;
  parts: Partial<BundleParts>;
}

/** `too_slow`: by the limit of processor time. */
export type EndGap = 'reader_ended' | 'too_slow';

/** The bundles that ended their reader, by their SHA-256: they are not read again. */
export interface EndedReadings {
  find(sha256: string): Promise<EndedReading | undefined>;
  keep(sha256: string, reading: EndedReading): Promise<void>;
}

export interface ScannerOptions {
  /** Text of additional secret rules in the format of gitleaks. */
  ruleFile?: string | undefined;
  limits?: Partial<ProcessLimits>;
}

/** Measured: 5 MiB of source and 1,500 locked packages take 2 to 5 s of processor time. */
const LIMITS: ProcessLimits = { heapMb: 384, memoryMb: 1_024, processorSeconds: 20, deadlineMs: 120_000 };
/** Bundles that are read at once, of different developers: one that takes long does not delay the next developer. */
const SLOTS = 2;
/**
 * Scans of one developer that wait here. Further ones are retried later, so that they do not take all places of the
 * worker.
 */
const MOST_WAITING = 16;
/** Shorter than the activity's time, so that a scan that waits too long is a fault that is retried. */
const PATIENCE_MS = 25 * 60_000;
/**
 * Pause after each bundle as a multiple of its scan time, so that many scans leave processor time for buyers' calls.
 */
const REST = { times: 3, mostMs: 3_000 } as const;

const GAP_OF: Record<ProcessEnd, GapCode> = {
  done: 'reader_ended',
  slow: 'too_slow',
  spent: 'too_slow',
  ended: 'reader_ended',
};

/** The ends that the bundle itself causes. They would come again. */
const LASTING: Partial<Record<ProcessEnd, EndGap>> = { spent: 'too_slow', ended: 'reader_ended' };

/**
 * Creates a scanner. Developers take turns: one bundle of each at once, and the developer whose bundles took the least
 * time lately goes next.
 */
export function createBundleScanner({ ruleFile, limits }: ScannerOptions = {}) {
  const turns = createTenantTurns({
    slots: SLOTS,
    mostRunning: 1,
    mostWaiting: MOST_WAITING,
    crowded: () => new Error('other bundles of the developer are read first'),
    patienceMs: PATIENCE_MS,
    late: () => new Error('the scan of a bundle waited too long for its turn'),
  });

  /** Reads a bundle in a process, unless it ended one before. Rejects for faults of the service only. */
  async function read(
    { manifest, ended }: ScanRequest,
    bundle: Buffer,
    signal: AbortSignal,
  ): Promise<BundleFacts> {
    const sha256 = createHash('sha256').update(bundle).digest('hex');
    const before = await ended?.find(sha256);
    if (before) return factsOf(partsFor(manifest, before.parts), manifest, before.gap);
    const parts: Partial<BundleParts> = {};
    const end = await runLimited<BundleWork, Partial<BundleParts>>(
      workerFile(__dirname, 'bundle-reader-process.js'),
      { bundle, manifest, ruleFile },
      { limits: { ...LIMITS, ...limits }, signal, onPart: (part) => Object.assign(parts, part) },
    );
    const gap = LASTING[end];
    if (gap !== undefined) await ended?.keep(sha256, { gap, parts });
    return factsOf(parts, manifest, GAP_OF[end]);
  }

  /** Reads a bundle in its developer's turn, which ends after a rest. */
  function readInTurn(request: ScanRequest, bundle: Buffer, signal: AbortSignal) {
    return new Promise<BundleFacts>((resolve, reject) => {
      const work = async () => {
        const beganAt = performance.now();
        await read(request, bundle, signal).then(resolve, reject);
        const restMs = Math.min(REST.mostMs, REST.times * (performance.now() - beganAt));
        await sleep(restMs, undefined, { ref: false });
      };
      turns.run(request.developer, work).catch(reject);
    });
  }

  /** Scans a version. `onPackages` receives the packages before advisories are looked up. */
  async function scan(
    request: ScanRequest,
    signal: AbortSignal,
    onPackages: (packages: KnownPackage[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<BundleEvidence> {
    const { bundle, manifest, advisories } = request;
    const facts = bundle ? await readInTurn(request, bundle, signal) : factsWithoutBundle(manifest);
    await onPackages(facts.packages.filter(({ version }) => version !== ''));
    const matched = await matchAdvisories(facts.packages, facts.floating, advisories, facts.skipped);
    if (facts.nothingToDo) {
      matched.vulnerabilities.coverage = facts.nothingToDo;
      if (facts.packages.length === 0) matched.malicious.coverage = facts.nothingToDo;
    }
    return {
      static: { ...facts.static, vulnerabilities: matched.vulnerabilities },
      supplyChain: { ...facts.supplyChain, malicious: matched.malicious },
    };
  }

  return { scan };
}

export type BundleScanner = ReturnType<typeof createBundleScanner>;

/** Another version may have the same bundle: what its manifest says is read anew. */
function partsFor(manifest: ScannedManifest, parts: Partial<BundleParts>): Partial<BundleParts> {
  const { completeness, ...others } = parts;
  if (!completeness) return others;
  const { hosts, undeclaredHosts } = completeness;
  return { ...others, completeness: { ...completenessFacts(manifest, undefined), hosts, undeclaredHosts } };
}
