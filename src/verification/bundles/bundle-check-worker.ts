/** Worker thread that checks whether uploaded bundles can be unpacked (bundle-checks.ts). */
import { parentPort } from 'node:worker_threads';
import { type BundleVerdict, readBundle } from '../../kit/archives/bundle';
import { lowerThreadPriority } from '../../kit/concurrency/thread-priority';

export type CheckReply = BundleVerdict | { fault: string };

lowerThreadPriority();

parentPort?.on('message', (base64: string) => {
  readBundle(base64).then(
    (verdict) => parentPort?.postMessage(verdict satisfies CheckReply),
    (error: unknown) =>
      parentPort?.postMessage({ fault: String((error as Error).stack) } satisfies CheckReply),
  );
});
