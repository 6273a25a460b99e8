/**
 * Reads bodies at the expense of their tenants. Small bodies are read at once, unless their tenant has used much
 * processor time lately. All others are read in threads of a lower priority, in the turns of the tenants.
 */
import { availableParallelism } from 'node:os';
import { MarketError } from '../../domain/errors';
import { createTenantThreads, type ThreadKind } from '../../kit/threads/tenant-threads';
import { asBuffer, ownMemory } from '../../kit/threads/thread-jobs';
import { workerFile } from '../../kit/threads/worker-file';
import { type BodyOutcome, type BodyTask, markExceeded, outcomeOf, performBodyTask } from './body-task';
import type { BodyRequest } from './body-worker';
import { RefusedCall } from './refused-call';
import { SMALL_BODY_BYTES } from './uploads';

const BODIES: ThreadKind<BodyRequest, BodyOutcome> = {
  name: 'bodies',
  script: workerFile(__dirname, 'body-worker.js'),
  threads: Math.max(1, availableParallelism() - 1),
  memory: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  // The largest body takes less than 1 s. The rest allows for a loaded machine, on which a thread also starts slowly.
  deadlineMs: 10_000,
  startMs: 30_000,
  // Waiting bodies are bounded by the bytes that may be held (`uploads.ts`), so they may wait long on a busy machine.
  turns: { patienceMs: 120_000, late: crowded },
  inline: {
    length: SMALL_BODY_BYTES,
    tinyLength: 8 * 1024,
    heavyMs: 100,
    clock: () => performance.now(),
  },
  // The body is refused: it would end the next thread, too. Only the schema of an agent is not the sender's.
  lost: ({ reason, inStep }) =>
    inStep && (reason === 'deadline' || reason === 'memory') ? { ok: false, exceeded: reason } : tooHard(),
};

export interface BodyThreads {
  /**
   * Performs a task on a body for a tenant; `here` does the same in this thread. The bytes may be moved to a thread, so
   * the caller must not use them afterwards. Throws as `performBodyTask` does, and `concurrency_limited` if the tenant
   * waits too long.
   */
  perform<T>(tenant: string, task: BodyTask, bytes: Buffer, here?: () => unknown): Promise<T>;
  close(): Promise<void>;
}

export function createBodyThreads(): BodyThreads {
  const threads = createTenantThreads(BODIES);
  return {
    async perform<T>(
      tenant: string,
      task: BodyTask,
      bytes: Buffer,
      here: () => unknown = () => performBodyTask(task, bytes),
    ) {
      const inline = threads.inline(tenant, bytes.length, here);
      if (inline) return inline.value as T;
      const { check, ...alone } = task;
      // The bytes are kept as long as they may be needed again.
      const outcome = await threads.ask(tenant, { task, bytes }, check ? [] : ownMemory(bytes));
      if (!check || outcome.ok || !('exceeded' in outcome)) return resultOf(outcome) as T;
      const result = resultOf(await threads.ask(tenant, { task: alone, bytes }, ownMemory(bytes))) as T;
      markExceeded(result, check.key, outcome.exceeded);
      return result;
    },
    close: threads.close,
  };
}

function resultOf(outcome: BodyOutcome): unknown {
  if (outcome.ok) return asBuffers(outcome.value);
  if ('exceeded' in outcome) return resultOf(tooHard());
  const { code, message, detail, call } = outcome;
  if (call) throw new RefusedCall(detail ?? [], { ...call, input: Buffer.from(call.input) });
  throw new MarketError(code, { message, ...(detail && { detail }) });
}

/** Buffers arrive from a thread as plain arrays of bytes. */
function asBuffers(value: unknown, levels = 2): unknown {
  if (value instanceof Uint8Array) return asBuffer(value);
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
