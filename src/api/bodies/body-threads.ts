/**
 * Reads bodies at the expense of their tenants. Small bodies are read at once, unless their tenant has used much
 * processor time lately. All others are read in threads of a lower priority, in the turns of the tenants.
 */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { MarketError } from '../../domain/errors';
import { askThread, ownMemory, startAskedThread, workerFile } from '../../kit/concurrency/asked-threads';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import { type BodyOutcome, type BodyTask, outcomeOf, performBodyTask } from './body-task';
import type { BodyRequest } from './body-worker';
import { RefusedCall } from './refused-call';
import { SMALL_BODY_BYTES } from './uploads';

/** A tenant with this much recent time does not block the process any more, whatever the size of its bodies. */
const HEAVY_TENANT_MS = 100;
/** Bodies up to this size are too cheap to be sent to a thread. */
const TINY_BODY_BYTES = 8 * 1024;
/** Waiting bodies are bounded by the bytes that may be held (`uploads.ts`), so they may wait long on a busy machine. */
const PATIENCE_MS = 120_000;
/** The largest body takes less than 1 s. The rest allows for a loaded machine, on which a thread also starts slowly. */
const DEADLINE_MS = 10_000;
const START_MS = 30_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

export interface BodyThreads {
  /**
   * Performs a task on a body for a tenant; `here` does the same in this thread. The bytes may be moved to a thread, so
   * the caller must not use them afterwards. Throws as `performBodyTask` does, and `concurrency_limited` if the tenant
   * waits too long.
   */
  perform<T>(tenant: string, task: BodyTask, bytes: Buffer, here?: () => unknown): Promise<T>;
  close(): Promise<void>;
}

export function createBodyThreads(size = Math.max(1, availableParallelism() - 1)): BodyThreads {
  const turns = createTenantTurns({ slots: size, patienceMs: PATIENCE_MS, late: crowded });
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  function start(): Worker {
    const thread = startAskedThread(workerFile(__dirname, 'body-worker.js'), RESOURCE_LIMITS);
    all.add(thread);
    thread.once('exit', () => {
      all.delete(thread);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
    });
    return thread;
  }

  async function inThread(request: BodyRequest): Promise<BodyOutcome> {
    const running = idle.pop();
    const thread = running ?? start();
    const deadlineMs = running ? DEADLINE_MS : START_MS + DEADLINE_MS;
    const options = { deadlineMs, moved: ownMemory(request.bytes) };
    const outcome = await askThread<BodyOutcome>(thread, request, options);
    if (outcome) idle.push(thread);
    return outcome ?? tooHard();
  }

  return {
    async perform<T>(
      tenant: string,
      task: BodyTask,
      bytes: Buffer,
      here: () => unknown = () => performBodyTask(task, bytes),
    ) {
      const isLight = bytes.length <= TINY_BODY_BYTES || turns.recentMs(tenant) < HEAVY_TENANT_MS;
      if (bytes.length <= SMALL_BODY_BYTES && isLight) {
        const beganAt = performance.now();
        try {
          return here() as T;
        } finally {
          turns.charge(tenant, performance.now() - beganAt);
        }
      }
      return resultOf(await turns.run(tenant, () => inThread({ task, bytes }))) as T;
    },
    async close() {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

function resultOf(outcome: BodyOutcome): unknown {
  if (outcome.ok) return asBuffers(outcome.value);
  if ('fault' in outcome) throw new Error(`body worker: ${outcome.fault}`);
  const { code, message, detail, call } = outcome;
  if (call) throw new RefusedCall(detail ?? [], { ...call, input: Buffer.from(call.input) });
  throw new MarketError(code, { message, ...(detail && { detail }) });
}

/** Buffers arrive from a thread as plain arrays of bytes. */
function asBuffers(value: unknown, levels = 2): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const record = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(record)) {
    if (typeof member === 'object') record[name] = asBuffers(member, levels - 1);
  }
  return record;
}

function tooHard(): BodyOutcome {
  return outcomeOf(() => {
    throw new MarketError('payload_too_large', {
      message: 'The body takes too much time or memory to read. Send less at once.',
    });
  });
}

function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message: 'Too many large bodies at once. Retry shortly.',
    retryAfterSeconds: 1,
  });
}
