/**
 * Runs the static analysis and supply chain stages of a version (specification, "Trust report"). A bundle is treated
 * as data: it is unpacked in the memory of a worker thread with a deadline and a memory limit, never written to disk,
 * never executed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../kit/concurrency/asked-threads';
import type { BundleEvidence, CheckCoverage } from '../../domain/evidence/evidence-facts';
import { type AdvisorySource, matchAdvisories } from '../packages/advisories';
import { type BundleFacts, factsWithoutBundle } from './bundle-facts';
import type { BundleReply, BundleWork } from './bundle-worker';
import type { ScannedManifest } from './completeness';
import type { KnownPackage } from '../packages/package-facts';

export interface ScanRequest {
  /** The gzipped tar as published; undefined when the version has no bundle. */
  bundle: Buffer | undefined;
  manifest: ScannedManifest;
  advisories: AdvisorySource;
}

export interface ScannerOptions {
  /** Text of additional secret rules in the format of gitleaks. */
  ruleFile?: string | undefined;
  deadlineMs?: number;
}

/** Measured: 5 MiB of source and 1,500 locked packages take 2 to 5 s. The rest allows for a loaded machine. */
const DEADLINE_MS = 300_000;
/**
 * Pause after each bundle as a multiple of its scan time, so that many scans leave processor time for buyers' calls.
 */
const REST = { times: 3, mostMs: 3_000 } as const;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

/** Creates a scanner. It scans one bundle at a time and pauses after each; further scans wait in a queue. */
export function createBundleScanner({ ruleFile, deadlineMs = DEADLINE_MS }: ScannerOptions = {}) {
  let line: Promise<unknown> = Promise.resolve();

  /**
   * Reads a bundle in a worker thread. Rejects for internal faults only: deadline, memory, or an unreadable stored
   * bundle.
   */
  async function read(bundle: Buffer, manifest: ScannedManifest, signal: AbortSignal): Promise<BundleFacts> {
    let beganAt = performance.now();
    const mine = line.then(() => {
      beganAt = performance.now();
      signal.throwIfAborted();
      return readInThread({ bundle, manifest, ruleFile }, deadlineMs, signal);
    });
    const rest = () => {
      const ms = Math.min(REST.mostMs, REST.times * (performance.now() - beganAt));
      return sleep(ms, undefined, { ref: false });
    };
    line = mine.then(rest, rest);
    return mine;
  }

  /** Scans a version. `onPackages` receives the packages before advisories are looked up. */
  async function scan(
    { bundle, manifest, advisories }: ScanRequest,
    signal: AbortSignal,
    onPackages: (packages: KnownPackage[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<BundleEvidence> {
    const facts = bundle ? await read(bundle, manifest, signal) : factsWithoutBundle(manifest);
    await onPackages(facts.packages.filter(({ version }) => version !== ''));
    const matched = await matchAdvisories(facts.packages, facts.floating, advisories);
    if (!bundle) {
      matched.vulnerabilities.coverage = notLooked();
      matched.malicious.coverage = notLooked();
    }
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

function notLooked(): CheckCoverage {
  return { wanted: 1, looked: 0, gaps: [{ code: 'no_bundle', count: 1 }] };
}

function readInThread(work: BundleWork, deadlineMs: number, signal: AbortSignal): Promise<BundleFacts> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(workerFile(__dirname, 'bundle-worker.js'), {
      workerData: work,
      resourceLimits: RESOURCE_LIMITS,
      env: {},
      execArgv: [],
    });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      void thread.terminate();
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const stop = () => fail(signal.reason as Error);
    const timer = setTimeout(
      () => fail(new Error(`the scan of a bundle exceeded its deadline of ${deadlineMs} ms`)),
      deadlineMs,
    );
    signal.addEventListener('abort', stop);
    thread.on('message', (reply: BundleReply) =>
      reply.ok ? end(() => resolve(reply.facts)) : fail(new Error(reply.message)),
    );
    thread.on('error', fail);
    thread.on('exit', (code) =>
      fail(new Error(`the worker thread of a bundle scan exited with code ${code}`)),
    );
  });
}
