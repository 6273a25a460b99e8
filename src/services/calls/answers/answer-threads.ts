/**
 * Reads, hashes and rewrites answers of agents. Small ones are done at once, large ones in a thread of a lower
 * priority, in the turns of the tenants (docs/internals/bodies.md#answers).
 */
import { MarketError } from '../../../domain/errors';
import { createTenantThreads, type ThreadKind } from '../../../kit/threads/tenant-threads';
import { asBuffer } from '../../../kit/threads/thread-jobs';
import { workerFile } from '../../../kit/threads/worker-file';
import {
  type AnswerKind,
  type AnswerOutcome,
  type AnswerResults,
  type AnswerTask,
  performAnswerTask,
} from './answer-task';
import type { AnswerRequest } from './answer-worker';

export interface AnswerThreads {
  /**
   * Performs a task in the tenant's turn; the bytes stay as they are. Throws `agent_error` as `performAnswerTask` does,
   * and `engine_unavailable` when the turn does not come, or when the thread has failed.
   */
  perform<K extends AnswerKind>(
    tenant: string,
    task: AnswerTask<K>,
    source: Buffer | string,
  ): Promise<AnswerResults[K]>;
  close(): Promise<void>;
}

/** Up to this size, an answer is read without the thread. */
const SMALL_LENGTH = 256 * 1024;

const ANSWERS: ThreadKind<AnswerRequest, AnswerOutcome> = {
  name: 'answers',
  script: workerFile(__dirname, 'answer-worker.js'),
  threads: 1,
  memory: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 },
  // The largest answer takes about 1 s. The rest allows for the start of the thread, and for a loaded machine.
  deadlineMs: 40_000,
  turns: { patienceMs: 60_000, late: () => unavailable('too many') },
  inline: { length: SMALL_LENGTH },
  // The call ends with `engine_unavailable`, and is refunded.
  lost: () => {
    throw unavailable('the thread ended');
  },
};

export function createAnswerThreads(): AnswerThreads {
  const threads = createTenantThreads(ANSWERS);

  function ask(tenant: string, task: AnswerTask, source: Buffer | string): Promise<AnswerOutcome> {
    if (typeof source === 'string') return threads.ask(tenant, { task, source });
    const copy = new Uint8Array(source);
    return threads.ask(tenant, { task, source: copy }, [copy.buffer]);
  }

  return {
    async perform<K extends AnswerKind>(tenant: string, task: AnswerTask<K>, source: Buffer | string) {
      const inline = threads.inline(tenant, source.length, () => performAnswerTask(task, source));
      return inline ? inline.value : (resultOf(await ask(tenant, task, source)) as AnswerResults[K]);
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
