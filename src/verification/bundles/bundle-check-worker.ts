/** Worker thread that checks whether uploaded bundles can be unpacked (bundle-checks.ts). */
import { parentPort } from 'node:worker_threads';
import { type BundleVerdict, readBundle } from '../../kit/archives/bundle';

export type CheckReply = BundleVerdict | { fault: string };

// This thread keeps its priority: a publisher waits for it, and a check is short or ends at its deadline.
parentPort?.on('message', (base64: string) => {
  readBundle(base64).then(
    (verdict) => parentPort?.postMessage(verdict satisfies CheckReply),
    (error: unknown) =>
      parentPort?.postMessage({ fault: String((error as Error).stack) } satisfies CheckReply),
  );
});
