/** Worker thread that reads one bundle. It is started for the bundle and ends with it (bundle-scan.ts). */
import { parentPort, workerData } from 'node:worker_threads';
import { type BundleFacts, createBundleReader } from './bundle-facts';
import type { ScannedManifest } from './completeness';
import { lowerThreadPriority } from '../../kit/concurrency/thread-priority';

export interface BundleWork {
  bundle: Uint8Array;
  manifest: ScannedManifest;
  /** Text of additional secret rules. */
  ruleFile: string | undefined;
}

export type BundleReply = { ok: true; facts: BundleFacts } | { ok: false; message: string };

lowerThreadPriority();

const { bundle, manifest, ruleFile } = workerData as BundleWork;

createBundleReader(ruleFile)(Buffer.from(bundle), manifest).then(
  (facts) => parentPort?.postMessage({ ok: true, facts } satisfies BundleReply),
  (error: unknown) =>
    parentPort?.postMessage({ ok: false, message: String((error as Error).message) } satisfies BundleReply),
);
