/** Writes large answers as JSON strings in a worker thread, in the turns of the tenants. */
import { MarketError } from '../../domain/errors';
import { createAskedThread, ownMemory, workerFile } from '../concurrency/asked-threads';
import { createFairSlots } from '../concurrency/fair-slots';
import { type PlainJson, plainJson } from './plain-json';

export interface PlainJsonPool {
  /**
   * Writes bytes as a JSON string; large ones are moved, so the caller must not use them afterwards. `tenant`: whose turn is used.
   * Throws `engine_unavailable` when the turn does not come, or when the thread has failed.
   */
  write(tenant: string, bytes: Buffer): Promise<PlainJson>;
  close(): Promise<void>;
}

/** Up to this size, an answer is written without the thread, in 1 ms. */
const SMALL_BYTES = 256 * 1024;
const PATIENCE_MS = 60_000;
/** The largest answer takes 0.1 s. The rest allows for a loaded machine. */
const DEADLINE_MS = 10_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

export function createPlainJsonPool(): PlainJsonPool {
  const turns = createFairSlots({ slots: 1, patienceMs: PATIENCE_MS, late: () => unavailable('too many') });
  const thread = createAskedThread<Uint8Array, PlainJson>({
    file: workerFile(__dirname, 'plain-json-worker.js'),
    resourceLimits: RESOURCE_LIMITS,
    deadlineMs: DEADLINE_MS,
  });
  return {
    async write(tenant, bytes) {
      if (bytes.length <= SMALL_BYTES) return plainJson(bytes);
      const reply = await turns.run(tenant, () => thread.ask(bytes, ownMemory(bytes)));
      if (!reply) throw unavailable('the thread ended');
      const { buffer, byteOffset, byteLength } = reply.json;
      return { ...reply, json: Buffer.from(buffer, byteOffset, byteLength) };
    },
    close: () => thread.close(),
  };
}

function unavailable(reason: string): Error {
  return new MarketError('engine_unavailable', { cause: new Error(`large answers: ${reason}`) });
}
