/**
 * Checks uploaded bundles in a thread, one at a time, in the turns of their developers. A bundle is
 * attacker-controlled: its check has a deadline and a memory limit, and a thread that exceeds them is replaced. Small
 * bundles are checked at once, unless their developer has used much processor time lately
 * (docs/internals/queues.md#publications): time for which the event loop waited is not the developer's.
 */
import { MarketError } from '../../domain/errors';
import { type BundleVerdict, MAX_BUNDLE_BYTES, readSmallBundle } from '../../kit/archives/bundle';
import { createTenantThreads, type ThreadKind } from '../../kit/threads/tenant-threads';
import { asBuffer } from '../../kit/threads/thread-jobs';
import { eventLoopMs } from '../../kit/threads/thread-time';
import { workerFile } from '../../kit/threads/worker-file';

const BUNDLES: ThreadKind<string, BundleVerdict> = {
  name: 'bundles',
  script: workerFile(__dirname, 'bundle-check-worker.js'),
  threads: 1,
  memory: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 },
  deadlineMs: 10_000,
  turns: { patienceMs: 30_000, late: crowded },
  // How large a bundle is shows when it is unpacked (`readSmallBundle`). A developer with much recent time waits.
  inline: { length: Infinity, heavyMs: 100, clock: eventLoopMs },
  lost: ({ reason }) => {
    if (reason === 'closed') throw new Error('the threads that check bundles have ended');
    return { ok: false, msg: 'takes too long to unpack', type: 'deadline' };
  },
};

export interface BundleChecks {
  /**
   * Decodes a bundle and checks that it can be unpacked safely (`readBundle`). Throws `concurrency_limited` if the
   * developer's bundles wait too long.
   */
  check(developer: string, base64: string): Promise<BundleVerdict>;
  close(): Promise<void>;
}

export function createBundleChecks(): BundleChecks {
  const threads = createTenantThreads(BUNDLES);
  return {
    async check(developer, base64) {
      const verdict = threads.inline(developer, base64.length, () => readSmallBundle(base64))?.value;
      if (verdict) return verdict;
      const reply = await threads.ask(developer, base64);
      return reply.ok ? { ok: true, bytes: asBuffer(reply.bytes) } : reply;
    },
    close: threads.close,
  };
}

function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message: `Too many bundles of up to ${MAX_BUNDLE_BYTES} bytes at once. Retry shortly.`,
    retryAfterSeconds: 1,
  });
}
