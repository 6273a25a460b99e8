/**
 * Checks uploaded bundles in a thread, one at a time, in the turns of their developers. A bundle is
 * attacker-controlled: its check has a deadline and a memory limit, and a thread that exceeds them is replaced. Small
 * bundles are checked at once, unless their developer has used much processor time lately
 * (docs/internals/queues.md#publications): time for which the event loop waited is not the developer's.
 */
import { MarketError } from '../../domain/errors';
import { type BundleVerdict, MAX_BUNDLE_BYTES, readSmallBundle } from '../../kit/archives/bundle';
import { createAskedThread, workerFile } from '../../kit/concurrency/asked-threads';
import { eventLoopMs } from '../../kit/concurrency/thread-time';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import type { CheckReply } from './bundle-check-worker';

const DEADLINE_MS = 10_000;
const PATIENCE_MS = 30_000;
/** A developer with this much recent time does not block the process any more. */
const HEAVY_DEVELOPER_MS = 100;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

export interface BundleChecks {
  /**
   * Decodes a bundle and checks that it can be unpacked safely (`readBundle`). Throws `concurrency_limited` if the
   * developer's bundles wait too long.
   */
  check(developer: string, base64: string): Promise<BundleVerdict>;
  close(): Promise<void>;
}

export function createBundleChecks(): BundleChecks {
  const turns = createTenantTurns({ slots: 1, patienceMs: PATIENCE_MS, late: crowded });
  const thread = createAskedThread<string, CheckReply>({
    file: workerFile(__dirname, 'bundle-check-worker.js'),
    resourceLimits: RESOURCE_LIMITS,
    deadlineMs: DEADLINE_MS,
  });

  function atOnce(developer: string, base64: string): BundleVerdict | undefined {
    if (turns.recentMs(developer) >= HEAVY_DEVELOPER_MS) return undefined;
    const beganAt = eventLoopMs();
    try {
      return readSmallBundle(base64);
    } finally {
      turns.charge(developer, eventLoopMs() - beganAt);
    }
  }

  return {
    async check(developer, base64) {
      const verdict = atOnce(developer, base64);
      if (verdict) return verdict;
      const reply = await turns.run(developer, () => thread.ask(base64));
      if (reply === undefined) return { ok: false, msg: 'takes too long to unpack', type: 'deadline' };
      if ('fault' in reply) throw new Error(`bundle check: ${reply.fault}`);
      return reply.ok ? { ok: true, bytes: bufferOf(reply.bytes) } : reply;
    },
    close: thread.close,
  };
}

/** Buffers arrive from a thread as plain arrays of bytes. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message: `Too many bundles of up to ${MAX_BUNDLE_BYTES} bytes at once. Retry shortly.`,
    retryAfterSeconds: 1,
  });
}
