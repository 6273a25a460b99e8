/**
 * Checks uploaded bundles in a thread, one at a time, in the turns of their developers. A bundle is attacker-controlled: its
 * check has a deadline and a memory limit, and a thread that exceeds them is replaced.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MarketError } from '../../domain/errors';
import { type BundleVerdict, MAX_BUNDLE_BYTES } from '../../kit/archives/bundle';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import type { CheckReply } from './bundle-check-worker';

const DEADLINE_MS = 10_000;
const PATIENCE_MS = 30_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

export interface BundleChecks {
  /**
   * Decodes a bundle and checks that it can be unpacked safely (`readBundle`). Throws `concurrency_limited` if the
   * developer's bundles wait too long.
   */
  check(developer: string, base64: string): Promise<BundleVerdict>;
  close(): Promise<void>;
}

/** Path of the compiled worker: beside this file in dist, or in dist when this file runs from source. */
function workerFile(): string {
  const beside = join(__dirname, 'bundle-check-worker.js');
  return existsSync(beside)
    ? beside
    : join(__dirname, '../../../dist/verification/bundles/bundle-check-worker.js');
}

export function createBundleChecks(): BundleChecks {
  const turns = createTenantTurns({ slots: 1, patienceMs: PATIENCE_MS, late: crowded });
  let thread: Worker | undefined;

  function start(): Worker {
    const started = new Worker(workerFile(), { env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
    started.on('error', () => undefined);
    started.unref();
    return started;
  }

  function inThread(base64: string): Promise<CheckReply | undefined> {
    const mine = (thread ??= start());
    mine.ref();
    return new Promise((resolve) => {
      const end = (reply: CheckReply | undefined) => {
        clearTimeout(deadline);
        mine.off('message', end).off('exit', gone);
        mine.unref();
        if (reply === undefined) {
          thread = undefined;
          void mine.terminate();
        }
        resolve(reply);
      };
      const gone = () => end(undefined);
      const deadline = setTimeout(gone, DEADLINE_MS);
      mine.on('message', end).on('exit', gone);
      mine.postMessage(base64);
    });
  }

  return {
    async check(developer, base64) {
      const reply = await turns.run(developer, () => inThread(base64));
      if (reply === undefined) return { ok: false, msg: 'takes too long to unpack', type: 'deadline' };
      if ('fault' in reply) throw new Error(`bundle check: ${reply.fault}`);
      return reply.ok ? { ok: true, bytes: bufferOf(reply.bytes) } : reply;
    },
    async close() {
      await thread?.terminate();
    },
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
