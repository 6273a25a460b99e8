/**
 * Reads, hashes and rewrites answers of agents. Small ones are done at once, large ones in a thread of a lower
 * priority, in the turns of the tenants (docs/internals/bodies.md#answers).
 */
import type { AnswerFindings } from '../../../domain/calls/answer-findings';
import { MarketError } from '../../../domain/errors';
import { createTenantThreads, type ThreadKind } from '../../../kit/threads/tenant-threads';
import { asBuffer } from '../../../kit/threads/thread-jobs';
import { workerFile } from '../../../kit/threads/worker-file';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import {
  type AnswerKind,
  type AnswerOutcome,
  type AnswerResults,
  type AnswerReview,
  type AnswerTask,
  performAnswerTask,
} from './answer-task';
import type { AnswerRequest } from './answer-worker';

export interface AnswerThreads {
  /**
   * Performs a task in the tenant's turn; the bytes stay as they are. `review`: what is found out about an answer that
   * a thread reads; a validation that exceeds its limits is left to the threads for schemas. Throws `agent_error` as
   * `performAnswerTask` does, and `engine_unavailable` when the turn does not come, or when the thread has failed.
   */
  perform<K extends AnswerKind>(
    tenant: string,
    task: AnswerTask<K>,
    source: Buffer | string,
    review?: () => AnswerReview,
  ): Promise<AnswerResults[K]>;
  close(): Promise<void>;
}

/** Up to this size, an answer is read without the thread. */
const SMALL_LENGTH = 256 * 1024;

/** The validation in the review exceeded its time or memory; the task is to be performed without it. */
interface Exceeded {
  exceeded: 'deadline' | 'memory';
}

const ANSWERS: ThreadKind<AnswerRequest, AnswerOutcome | Exceeded> = {
  name: 'answers',
  script: workerFile(__dirname, 'answer-worker.js'),
  threads: 1,
  // The stack is that of the threads for schemas, so that a deep answer gets the same verdict.
  memory: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16, stackSizeMb: 16 },
  // The largest answer takes about 1 s. The rest allows for the start of the thread, and for a loaded machine.
  deadlineMs: 40_000,
  turns: { patienceMs: 60_000, late: () => unavailable('too many') },
  inline: { length: SMALL_LENGTH },
  // The call ends with `engine_unavailable`, and is refunded.
  lost: ({ reason, inStep }) => {
    if (inStep && (reason === 'deadline' || reason === 'memory')) return { exceeded: reason };
    throw unavailable('the thread ended');
  },
};

export function createAnswerThreads({ schemas }: { schemas: Pick<SchemaPool, 'exceeded'> }): AnswerThreads {
  const threads = createTenantThreads(ANSWERS);

  async function ask(
    tenant: string,
    task: AnswerTask,
    source: Buffer | string,
    review?: AnswerReview,
  ): Promise<unknown> {
    const copy = typeof source === 'string' ? undefined : new Uint8Array(source);
    const moved = copy ? [copy.buffer] : [];
    const beganAt = performance.now();
    const outcome = await threads.ask(tenant, { task, source: copy ?? source, review }, moved);
    if (!('exceeded' in outcome)) return resultOf(outcome);
    if (!review?.check) throw unavailable('a step exceeded its limit');
    schemas.exceeded(review.check.key, outcome.exceeded);
    const lostMs = performance.now() - beganAt;
    const result = await ask(tenant, task, source, { ...review, check: null });
    const { found } = result as { found?: AnswerFindings };
    if (found) found.tookMs += lostMs;
    return result;
  }

  return {
    async perform<K extends AnswerKind>(
      tenant: string,
      task: AnswerTask<K>,
      source: Buffer | string,
      review?: () => AnswerReview,
    ) {
      const inline = threads.inline(tenant, source.length, () => performAnswerTask(task, source));
      return inline ? inline.value : ((await ask(tenant, task, source, review?.())) as AnswerResults[K]);
    },
    close: threads.close,
  };
}

function resultOf(outcome: AnswerOutcome): unknown {
  if (!outcome.ok) throw new MarketError(outcome.code, { cause: new Error(outcome.reason) });
  const { value } = outcome;
  if (typeof value !== 'object' || value === null || !('json' in value)) return value;
  return { ...value, json: asBuffer(value.json as Uint8Array) };
}

function unavailable(reason: string): Error {
  return new MarketError('engine_unavailable', { cause: new Error(`large answers: ${reason}`) });
}
