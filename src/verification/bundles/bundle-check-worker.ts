/** Worker thread that checks whether uploaded bundles can be unpacked (bundle-checks.ts). */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type BundleVerdict, readBundle } from '../../kit/archives/bundle';

export type CheckReply = BundleVerdict | { fault: string };

/** Lowers the priority of this thread in favour of calls. Only Linux supports priorities of single threads. */
if (process.platform === 'linux') {
  try {
    setPriority(5);
  } catch {
    // Without a lower priority, bundles only take a larger share of the processor.
  }
}

parentPort?.on('message', (base64: string) => {
  readBundle(base64).then(
    (verdict) => parentPort?.postMessage(verdict satisfies CheckReply),
    (error: unknown) =>
      parentPort?.postMessage({ fault: String((error as Error).stack) } satisfies CheckReply),
  );
});
