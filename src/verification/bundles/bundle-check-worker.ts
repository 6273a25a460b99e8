/** Worker thread that checks whether uploaded bundles can be unpacked (bundle-checks.ts). */
import { parentPort } from 'node:worker_threads';
import { type BundleVerdict, readBundle } from '../../kit/archives/bundle';
import { lowerThreadPriority } from '../../kit/concurrency/thread-priority';

export type CheckReply = BundleVerdict | { fault: string };

// Small bundles of ordinary developers never come here (bundle-checks.ts), and the deadline is in processor time.
lowerThreadPriority();

parentPort?.on('message', (base64: string) => parentPort?.postMessage(check(base64)));

function check(base64: string): CheckReply {
  try {
    return readBundle(base64);
  } catch (error) {
    return { fault: String((error as Error).stack) };
  }
}
