/** Worker thread that reads one bundle. It is started for the bundle and ends with it (bundle-scan.ts). */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type BundleFacts, createBundleReader } from './bundle-facts';
import type { ScannedManifest } from './completeness';

export interface BundleWork {
  bundle: Uint8Array;
  manifest: ScannedManifest;
  /** Text of additional secret rules. */
  ruleFile: string | undefined;
}

export type BundleReply = { ok: true; facts: BundleFacts } | { ok: false; message: string };

/** Lowers the priority of this thread in favour of calls. Only Linux supports priorities of single threads. */
if (process.platform === 'linux') {
  try {
    setPriority(10);
  } catch {
    // Without a lower priority, the scan only takes a larger share of the processor.
  }
}

const { bundle, manifest, ruleFile } = workerData as BundleWork;

createBundleReader(ruleFile)(Buffer.from(bundle), manifest).then(
  (facts) => parentPort?.postMessage({ ok: true, facts } satisfies BundleReply),
  (error: unknown) =>
    parentPort?.postMessage({ ok: false, message: String((error as Error).message) } satisfies BundleReply),
);
