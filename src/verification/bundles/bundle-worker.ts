/** The thread that reads one bundle: started for it, and ended with it (src/verification/bundles/bundle-scan.ts). */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type BundleFacts, createBundleReader } from './bundle-facts';
import type { ScannedManifest } from './completeness';

export interface BundleWork {
  bundle: Uint8Array;
  manifest: ScannedManifest;
  /** Text of a file of rules for secrets. */
  ruleFile: string | undefined;
}

export type BundleReply = { ok: true; facts: BundleFacts } | { ok: false; message: string };

/** Calls go first. Of this thread alone, which only Linux can do. */
if (process.platform === 'linux') {
  try {
    setPriority(10);
  } catch {
    // Without it the scan only takes a larger share.
  }
}

const { bundle, manifest, ruleFile } = workerData as BundleWork;

createBundleReader(ruleFile)(Buffer.from(bundle), manifest).then(
  (facts) => parentPort?.postMessage({ ok: true, facts } satisfies BundleReply),
  (error: unknown) =>
    parentPort?.postMessage({ ok: false, message: String((error as Error).message) } satisfies BundleReply),
);
